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
  Index shared_bytes = 0;

  static DeviceRates of(const base::cuda::DeviceInfo& device);
};

/// What a product in a format costs, in bytes of memory traffic, for each of these; fitted to what
/// was measured (docs/performance.md).
struct ProductCost {
  double row;                 // for each row
  double position;            // for each stored position
  double near_line;           // for each line of x that the second-level cache holds
  double far_line;            // likewise, where the memory has to give it
  double tile_part;           // for each part of a row in a tile, and vector
  double RowProfile::*lines;  // which of them the format reads
  bool pads;                  // slices of rows to equal lengths
};

/// Seconds of a product with as many vectors as the profile is of.
double product_seconds(const ProductCost& cost, const RowProfile& profile,
                       const DeviceRates& device);

}  // namespace cisolve::sparse
