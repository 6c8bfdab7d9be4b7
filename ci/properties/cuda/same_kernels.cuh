#pragma once

#include "ci/properties/cuda/overlap_kernels.cuh"
#include "ci/properties/same_spin_density.hpp"

// The two-particle density of two electrons of one spin.
namespace cisolve::ci::cuda {

/// Sums over pairs of orbitals as integers, in units of 1 / scale, so that they do not depend on
/// the order of additions. Of two symmetric elements only one is added to.
struct SameSpinSums {
  Index pairs;  // number of orbital pairs
  double scale;
  unsigned long long* sums;

  __device__ void add(const OrderedPair& created, const OrderedPair& taken, double value) const {
    const double units = created.sign * taken.sign * value * scale;
    atomicAdd(sums + created.place * pairs + taken.place,
              static_cast<unsigned long long>(__double2ll_rn(units)));
  }
};

}  // namespace cisolve::ci::cuda
