#pragma once

#include <span>

#include "base/ranks/layout.hpp"

namespace cisolve::base {

/// Neighbouring rows for each rank, in canonical order, with about as much work. They are cut where
/// items do that follow one another, each of so much work and so many rows. Ranks that are more
/// than items have none.
Layout share_work(std::span<const double> work, std::span<const Index> rows, int ranks);

}  // namespace cisolve::base
