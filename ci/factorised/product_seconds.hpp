#pragma once

#include "ci/factorised/factorised.hpp"
#include "sparse/stored/rates.hpp"

// How long a factorised product takes, predicted from what it has to do.
namespace cisolve::ci {

/// Seconds of a product with one vector by so many threads of a host. Where vectors may be even or
/// odd under the exchange of spins, of one that is: those of a solution are.
double factorised_seconds_on_host(const FactorWork& work, int threads);
double factorised_seconds_on_device(const FactorWork& work, const sparse::DeviceRates& device);

}  // namespace cisolve::ci
