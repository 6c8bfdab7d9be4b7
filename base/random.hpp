#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace cisolve::base {

/// A well-mixed 64-bit value of a 64-bit counter (the finaliser of SplitMix64). Counters instead of
/// a running state make any part of a random object computable alone, in any order.
CISOLVE_HOST_DEVICE inline std::uint64_t mix(std::uint64_t counter) {
  std::uint64_t z = counter + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

CISOLVE_HOST_DEVICE inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return mix(mix(a) ^ b);
}

/// 53 random bits as a double in [0, 1).
CISOLVE_HOST_DEVICE inline double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

CISOLVE_HOST_DEVICE inline double symmetric_interval(std::uint64_t bits) {
  return 2 * unit_interval(bits) - 1;
}

/// A column of BlockKernels::randomise() for a seed, computed element by element.
class RandomVector {
 public:
  explicit RandomVector(std::uint64_t seed, int column = 0)
      : key_(mix(seed, static_cast<std::uint64_t>(column))) {}

  double operator[](std::int64_t row) const {
    return symmetric_interval(mix(key_, static_cast<std::uint64_t>(row)));
  }

 private:
  std::uint64_t key_;
};

/// Random sequence of a key.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t key) : state_(mix(key)) {}
  RandomStream(std::uint64_t seed, std::uint64_t stream) : state_(mix(seed, stream)) {}

  std::uint64_t next() { return mix(state_++); }
  double uniform() { return unit_interval(next()); }
  /// Uniform in [0, bound) for a bound below 2^32; the bias is below bound / 2^32.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

}  // namespace cisolve::base
