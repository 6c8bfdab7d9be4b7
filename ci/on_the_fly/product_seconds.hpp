#pragma once

#include "ci/on_the_fly/work.hpp"
#include "sparse/stored/rates.hpp"

// How long it takes to compute elements, predicted from what has to be done: in each product, or
// once, where they are stored.
namespace cisolve::ci {

/// Seconds of a product with so many vectors at once, whose elements so many threads compute.
/// `rows` and `nonzeros` are those of the matrix.
double computed_seconds_on_host(const ProductWork& work, double rows, double nonzeros, int vectors,
                                int threads);
double computed_seconds_on_device(const ProductWork& work, double rows, int vectors,
                                  const sparse::DeviceRates& device);

/// Seconds to find the elements of all rows, by one thread: to count them and to fill them.
double walk_seconds_to_store_on_host(const RowWork& work);
/// Seconds to walk once along all rows.
double walk_seconds_on_device(const RowWork& work, double rows, const sparse::DeviceRates& device);

}  // namespace cisolve::ci
