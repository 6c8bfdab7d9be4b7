#pragma once

#include <optional>
#include <span>

#include "solver/vectors/tridiagonal.hpp"

namespace cisolve::solver {

/// (B - shift)^-1 of a small symmetric matrix B, for any shift. Uses the tridiagonal form unless an
/// eigenvalue other than the lowest few is near the shift; all eigenvectors, which take several
/// times as long, are computed when first needed.
class ShiftedInverse {
 public:
  /// `few`: number of lowest eigenpairs that will be requested. Throws ErrorKind::bad_input if B is
  /// not finite.
  ShiftedInverse(SmallMatrix b, int few);

  int rows() const { return b_.rows(); }
  /// Returns at least the `count` lowest eigenpairs.
  const EigenPairs& lowest(int count) const;

  /// x_j = (B - shift_j)^-1 x_j; an eigenvalue nearer than `floor` to the shift is moved to that
  /// distance.
  void apply(std::span<const double> shifts, double floor, SmallMatrix& x) const;

  bool knows_all() const { return all_.has_value(); }

 private:
  bool is_near_others(double shift, double floor) const;
  void apply_form(double shift, double floor, std::span<double> x) const;

  SmallMatrix b_;
  std::optional<TridiagonalForm> form_;
  EigenPairs inside_{{}, SmallMatrix(0, 0)};  // the lowest few, of the tridiagonal form
  EigenPairs few_{{}, SmallMatrix(0, 0)};     // eigenpairs of B
  mutable std::optional<EigenPairs> all_;
};

}  // namespace cisolve::solver
