#pragma once

#include <vector>

#include "bench/products/matrices.hpp"

namespace cisolve::bench {

/// Lattice models at half filling: 853,776 rows each, the ring 11,778,624.
std::vector<NamedMatrix> lattices();

}  // namespace cisolve::bench
