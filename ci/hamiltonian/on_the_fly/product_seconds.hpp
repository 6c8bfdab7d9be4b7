#pragma once

#include "ci/hamiltonian/on_the_fly/cost.hpp"
#include "sparse/stored/rates.hpp"

// Estimated seconds to compute elements: in each product, or once if they are stored.
namespace cisolve::ci {

/// Seconds of a product with `vectors` vectors at once; `rows` and `nonzeros` of the matrix.
double computed_seconds_on_host(const ComputedCost& work, double rows, double nonzeros, int vectors,
                                int threads);
double computed_seconds_on_device(const ComputedCost& work, double rows, int vectors,
                                  const sparse::DeviceRates& device);

/// Seconds for one thread to count and to fill all rows.
double walk_seconds_to_store_on_host(const RowCost& work);
/// Seconds to compute all rows once.
double walk_seconds_on_device(const RowCost& work, double rows, const sparse::DeviceRates& device);

}  // namespace cisolve::ci
