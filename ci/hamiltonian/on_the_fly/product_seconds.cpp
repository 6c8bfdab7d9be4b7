#include "ci/hamiltonian/on_the_fly/product_seconds.hpp"

#include <algorithm>

namespace cisolve::ci {
namespace {

// Measured on two threads of a host at 2.5 to 3 GHz: seconds of one thread.
constexpr double kHostMove = 0.9e-9;
constexpr double kHostStream = 0.95e-9;
constexpr double kHostRow = 4e-9;
constexpr double kHostConnection = 1e-9;
constexpr double kHostPair = 0.6e-9;
constexpr double kHostLookUp = 2.8e-9;
constexpr double kHostTogether = 4e-9;
constexpr double kHostImage = 3e-9;
constexpr double kHostElement = 1.5e-9;
constexpr double kWalksToStore = 1.3;  // counting and filling rows, in walks of a product
constexpr double kWalksToStoreTogether = 2.2;

// Measured on an H200.
constexpr double kDeviceMove = 1.4e-12;
constexpr double kDeviceStream = 4e-12;
constexpr double kDeviceLargest = 7e-10;
constexpr double kDeviceRow = 1.75e-9;
constexpr double kDeviceCandidate = 8.5e-12;
constexpr double kDeviceSearched = 16e-12;  // time if its position in a list is searched
constexpr double kDeviceImage = 1.8e-12;

/// A factor for blocks: each vector beyond the first adds a fraction `fraction` of the first.
double with_further(int vectors, double share) { return 1 + share * (vectors - 1); }

/// All rows once, by one thread.
double walk_seconds_on_host(const RowCost& work) {
  if (work.together > 0) return kHostTogether * work.together;
  return kHostConnection * work.connections + kHostPair * work.pairs + kHostLookUp * work.look_ups +
         kHostImage * work.images;
}

}  // namespace

double computed_seconds_on_host(const ComputedCost& work, double rows, double nonzeros, int vectors,
                                int threads) {
  if (!work.by_blocks)
    return with_further(vectors, 0.015) *
           (walk_seconds_on_host(work.walk) + kHostElement * nonzeros) / threads;
  return (with_further(vectors, 0.47) * kHostMove * work.moves +
          with_further(vectors, 0.3) * (kHostStream * work.streams + kHostRow * rows)) /
         threads;
}

double computed_seconds_on_device(const ComputedCost& work, double rows, int vectors,
                                  const sparse::DeviceRates& device) {
  if (!work.by_blocks)
    return with_further(vectors, 0.05) * walk_seconds_on_device(work.walk, rows, device);
  const double all = with_further(vectors, 0.33) * kDeviceMove * (work.moves + work.copies) +
                     with_further(vectors, 0.73) * kDeviceStream * work.streams;
  const double longest = with_further(vectors, 0.37) * kDeviceLargest * work.largest;
  const double added = vectors * work.elements() / device.multiply_adds;
  return std::max({device.relative_to_h200() * all, longest, added});
}

double walk_seconds_to_store_on_host(const RowCost& work) {
  return (work.together > 0 ? kWalksToStoreTogether : kWalksToStore) * walk_seconds_on_host(work);
}

double walk_seconds_on_device(const RowCost& work, double rows, const sparse::DeviceRates& device) {
  const double candidate = work.has_all_betas ? kDeviceCandidate : kDeviceSearched;
  return device.relative_to_h200() *
         (kDeviceRow * rows + candidate * work.candidates + kDeviceImage * work.images);
}

}  // namespace cisolve::ci
