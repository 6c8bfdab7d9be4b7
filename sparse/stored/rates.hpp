#pragma once

#include "base/device.hpp"
#include "sparse/rows/profile.hpp"

// Predicted times of products and of storing elements, from a sample of rows and the device's
// properties.
namespace cisolve::sparse {

struct DeviceRates {
  double bytes = 1e12;          // memory bandwidth in bytes/s of a large copy
  double multiply_adds = 1e12;  // per second, in double precision
  Index cache_bytes = 0;
  int multiprocessors = 1;

  static DeviceRates of(const base::cuda::DeviceInfo& device);

  /// Factor from times measured on an H200 to this device, for work spread over all
  /// multiprocessors.
  double relative_to_h200() const {
    constexpr double kMultiprocessors = 132;
    return kMultiprocessors / multiprocessors;
  }
};

/// Seconds of a product with profile.vectors vectors; infinity if the format does not suit the
/// matrix. Fitted to measurements (docs/notebook/choice-of-format.md) in bytes of memory traffic,
/// so that they scale with the device.
double csr_seconds(const RowProfile& profile, const DeviceRates& device);
double sliced_seconds(const RowProfile& profile, const DeviceRates& device);
double coded_sliced_seconds(const RowProfile& profile, const DeviceRates& device);
double tiled_seconds(const RowProfile& profile, const DeviceRates& device);
/// Seconds for a matrix with few, nearly full diagonals.
double diagonal_seconds(const RowProfile& profile, const DeviceRates& device);
/// Seconds for molecules, whose two-electron integrals have few magnitudes; not calibrated for
/// other matrices.
double coded_tiled_seconds(const RowProfile& profile, const DeviceRates& device);

/// Seconds of a product on a host; each element takes `looked_up` byte look-ups.
double streamed_seconds_on_host(const RowProfile& profile, double looked_up, int threads);
/// Seconds of a product in tiles, if the matrix is large enough for them.
double tiled_seconds_on_host(const RowProfile& profile, int threads);
bool has_tiles_on_host(const RowProfile& profile);

/// Seconds to store elements once they are computed: on a host, slower for tiles; on a device,
/// slower for tiles and for codes in them.
double storing_seconds_on_host(const RowProfile& profile, bool in_tiles, int threads);
double storing_seconds_on_device(const RowProfile& profile, bool in_tiles, bool coded);

}  // namespace cisolve::sparse
