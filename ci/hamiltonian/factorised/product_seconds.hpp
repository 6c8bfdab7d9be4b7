#pragma once

#include "ci/hamiltonian/factorised/factorised.hpp"
#include "sparse/stored/rates.hpp"

// Estimated seconds of a factorised product.
namespace cisolve::ci {

/// Seconds of a product with one vector; if work.has_parity, with an even or odd one, as in a
/// solution.
double factorised_seconds_on_host(const FactorisedCost& work, int threads);
double factorised_seconds_on_device(const FactorisedCost& work, const sparse::DeviceRates& device);

}  // namespace cisolve::ci
