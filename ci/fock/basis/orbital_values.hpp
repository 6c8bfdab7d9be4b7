#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/small_matrix.hpp"
#include "ci/fock/basis/gaussian_basis.hpp"

namespace cisolve::ci {

/// Values of orbitals at points of a line parallel to the z axis.
class OrbitalValues {
 public:
  /// `coefficients`: functions of the basis by orbitals. Both are referred to.
  OrbitalValues(const GaussianBasis& basis, const base::SmallMatrix& coefficients);

  int orbitals() const { return coefficients_.columns(); }

  /// values[k * points + i] of orbital k at `start` + (0, 0, i * step). May be called concurrently.
  void on_line(const std::array<double, 3>& start, double step, int points,
               std::span<double> values) const;

 private:
  const GaussianBasis& basis_;
  const base::SmallMatrix& coefficients_;
  std::vector<int> first_;
  std::vector<std::vector<double>> weights_;           // radial, of each shell
  std::vector<double> reach_;                          // bohr; of each shell
  std::vector<std::vector<Polynomial>> angular_ = {};  // by momentum
};

}  // namespace cisolve::ci
