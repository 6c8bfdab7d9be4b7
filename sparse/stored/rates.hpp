#pragma once

#include "base/device.hpp"
#include "sparse/rows/profile.hpp"

// How long a product takes, predicted from a few rows of the matrix and from what the device says
// of itself; and how long it takes to store elements that are found.
namespace cisolve::sparse {

struct DeviceRates {
  double bytes = 1e12;          // a second, of a large copy
  double multiply_adds = 1e12;  // a second, in double precision
  Index cache_bytes = 0;
  int multiprocessors = 1;

  static DeviceRates of(const base::cuda::DeviceInfo& device);

  /// The time of what all multiprocessors do, in terms of that on an H200, on which constants of
  /// times were measured.
  double times_of_measured() const {
    constexpr double kMultiprocessors = 132;
    return kMultiprocessors / multiprocessors;
  }
};

/// Seconds of a product with as many vectors as the profile is of; infinity where the format has
/// nothing to offer. Fitted to what was measured (docs/performance.md), in bytes of memory traffic,
/// so that they scale with the device.
double csr_seconds(const RowProfile& profile, const DeviceRates& device);
double sliced_seconds(const RowProfile& profile, const DeviceRates& device);
double coded_sliced_seconds(const RowProfile& profile, const DeviceRates& device);
double tiled_seconds(const RowProfile& profile, const DeviceRates& device);
/// Of a matrix whose elements lie on few diagonals, which are nearly full.
double diagonal_seconds(const RowProfile& profile, const DeviceRates& device);
/// Of molecules, whose doubles have few magnitudes; of other matrices it is not known.
double coded_tiled_seconds(const RowProfile& profile, const DeviceRates& device);

/// Seconds of a product on a host by so many threads; an element takes `looked_up` look-ups of a
/// byte.
double streamed_seconds_on_host(const RowProfile& profile, double looked_up, int threads);
/// In tiles, where there are enough elements for these.
double tiled_seconds_on_host(const RowProfile& profile, int threads);
bool has_tiles_on_host(const RowProfile& profile);

/// Seconds to store elements that are found by a host, which takes longer for tiles; and by a
/// device, which does for tiles and for codes in them.
double storing_seconds_on_host(const RowProfile& profile, bool in_tiles, int threads);
double storing_seconds_on_device(const RowProfile& profile, bool in_tiles, bool coded);

}  // namespace cisolve::sparse
