#pragma once

#include <memory>

#include "sparse/diagonal/pairs.hpp"

// C = A B + beta C by the pairs of diagonals, declared once for every backend.
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

/// How a device multiplies: pair by pair, in stages where it has room for them or in groups
/// whatever it has; or what BandPairs has as dense tiles, if it has units for these.
enum class PairWay { quickest, groups, stages, bands };

/// The pairs as a device reads them.
class DevicePairs {
 public:
  DevicePairs() = default;
  DevicePairs(const DevicePairs&) = delete;
  DevicePairs& operator=(const DevicePairs&) = delete;
  virtual ~DevicePairs() = default;
  virtual PairWay way() const = 0;
  virtual void multiply(const double* a, const double* b, double beta, double* c) const = 0;
};

std::unique_ptr<DevicePairs> place_pairs(const base::Backend& backend, const ProductPairs& all,
                                         PairWay way = PairWay::quickest);

}  // namespace cuda

}  // namespace cisolve::sparse
