#pragma once

#include <Eigen/Dense>
#include <complex>
#include <span>

#include "ci/fock/models/terms.hpp"

namespace cisolve::test {

/// A model of spins as sums of Kronecker products of Pauli matrices over two: no words, no bits.
inline Eigen::MatrixXd spin_matrix(int sites, std::span<const ci::Term> terms) {
  using Matrix = Eigen::MatrixXcd;
  Matrix x(2, 2);
  Matrix y(2, 2);
  Matrix z(2, 2);
  const std::complex<double> i(0, 1);
  x << 0, 0.5, 0.5, 0;
  y << 0, -0.5 * i, 0.5 * i, 0;
  z << 0.5, 0, 0, -0.5;
  const auto at = [&](const Matrix& spin, int site) {
    Matrix all = Matrix::Identity(1, 1);
    for (int p = 0; p < sites; ++p) {
      const Matrix factor = p == site ? spin : Matrix(Matrix::Identity(2, 2));
      Matrix next(2 * all.rows(), 2 * all.cols());
      for (Eigen::Index r = 0; r < all.rows(); ++r)
        for (Eigen::Index c = 0; c < all.cols(); ++c)
          next.block(2 * r, 2 * c, 2, 2) = all(r, c) * factor;
      all = next;
    }
    return all;
  };
  Matrix h = Matrix::Zero(1 << sites, 1 << sites);
  for (const auto& [kind, a, b, strength] : terms) {
    using Kind = ci::TermKind;
    const bool in_x = kind == Kind::couple || kind == Kind::couple_x || kind == Kind::couple_xy;
    const bool in_y = kind == Kind::couple || kind == Kind::couple_y || kind == Kind::couple_xy;
    const bool in_z = kind == Kind::couple || kind == Kind::couple_z;
    if (in_x) h += strength * at(x, a) * at(x, b);
    if (in_y) h += strength * at(y, a) * at(y, b);
    if (in_z) h += strength * at(z, a) * at(z, b);
    if (kind == Kind::field) h += strength * at(z, a);
    if (kind == Kind::field_x) h += strength * at(x, a);
  }
  return h.real();
}

}  // namespace cisolve::test
