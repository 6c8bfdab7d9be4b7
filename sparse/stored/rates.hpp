#pragma once

#include "base/device.hpp"
#include "sparse/rows/profile.hpp"

// How long a product takes on a device, predicted from a few rows of the matrix and from what the
// device says of itself.
namespace cisolve::sparse {

struct DeviceRates {
  double bytes = 1e12;          // a second, of a large copy
  double multiply_adds = 1e12;  // a second, in double precision
  Index cache_bytes = 0;
  int multiprocessors = 1;

  static DeviceRates of(const base::cuda::DeviceInfo& device);
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

}  // namespace cisolve::sparse
