#pragma once

#include <memory>

#include "sparse/diagonal/pairs.hpp"

// C = A B + beta C by pairs of diagonals, declared once for all backends.
namespace cisolve::sparse {

namespace reference {
void multiply_pairs(const base::Backend& backend, const ProductPairs& all, const double* a,
                    const double* b, double beta, double* c);
}  // namespace reference

namespace openmp {
void multiply_pairs(const base::Backend& backend, const ProductPairs& all, const double* a,
                    const double* b, double beta, double* c);
}  // namespace openmp

namespace cuda {

/// Device algorithms: pairs in groups (any device); pairs in stages in shared memory, if they fit;
/// BandPairs as dense tiles, on devices with double-precision matrix units.
enum class PairAlgorithm { quickest, groups, stages, bands };

/// A product's pairs in a device's memory.
class DevicePairs {
 public:
  DevicePairs() = default;
  DevicePairs(const DevicePairs&) = delete;
  DevicePairs& operator=(const DevicePairs&) = delete;
  virtual ~DevicePairs() = default;
  virtual PairAlgorithm algorithm() const = 0;
  virtual void multiply(const double* a, const double* b, double beta, double* c) const = 0;
};

std::unique_ptr<DevicePairs> place_pairs(const base::Backend& backend, const ProductPairs& all,
                                         PairAlgorithm algorithm = PairAlgorithm::quickest);

}  // namespace cuda

}  // namespace cisolve::sparse
