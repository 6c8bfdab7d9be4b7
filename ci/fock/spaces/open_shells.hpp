#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "ci/fock/strings/determinant.hpp"

namespace cisolve::ci {

/// The open shells of a determinant's configuration. A spin pattern sets bit k if the k-th open
/// orbital has an alpha electron.
struct OpenShells {
  explicit OpenShells(const Determinant& determinant)
      : up(determinant.alpha - determinant.beta),
        down(determinant.beta - determinant.alpha),
        both(determinant.alpha & determinant.beta),
        orbitals((up | down).orbitals()) {}

  /// Whether alpha electrons occupy the lowest open orbitals: this determinant represents its
  /// configuration. Makes no list of orbitals, since most determinants fail.
  static bool is_first(const Determinant& determinant) {
    const String up = determinant.alpha - determinant.beta;
    const String down = determinant.beta - determinant.alpha;
    return (up - String::below(first_of(down))).empty();
  }

  std::uint64_t pattern() const {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < orbitals.size(); ++k)
      if (up.has(orbitals[k])) bits |= std::uint64_t{1} << k;
    return bits;
  }

  Determinant with(std::uint64_t pattern) const {
    Determinant result{both, both};
    for (std::size_t k = 0; k < orbitals.size(); ++k) {
      String& string = (pattern >> k & 1) != 0 ? result.alpha : result.beta;
      string = string.with(orbitals[k]);
    }
    return result;
  }

  static int first_of(const String& string) {
    for (int w = 0; w < String::kWords; ++w)
      if (string.words()[w] != 0) return 64 * w + std::countr_zero(string.words()[w]);
    return kMostOrbitals;
  }

  String up;
  String down;
  String both;
  std::vector<int> orbitals;
};

}  // namespace cisolve::ci
