#pragma once

#include <optional>
#include <span>

#include "solver/vectors/tridiagonal.hpp"

namespace cisolve::solver {

/// (B - shift)^-1 for any shift, of a small symmetric matrix B. Its tridiagonal form answers for
/// shifts that no eigenvalue is near to but the lowest few; all eigenvectors, which take several
/// times as long, are found when they are first needed.
class ShiftedInverse {
 public:
  /// The `few` lowest eigenpairs are those that will be asked for. Throws Fault::bad_input where B
  /// has values that are not numbers.
  ShiftedInverse(SmallMatrix b, int few);

  int rows() const { return b_.rows(); }
  /// At least the `count` lowest eigenpairs.
  const EigenPairs& lowest(int count) const;

  /// x_j = (B - shift_j)^-1 x_j, where an eigenvalue nearer than `floor` to the shift is taken for
  /// one at that distance.
  void apply(std::span<const double> shifts, double floor, SmallMatrix& x) const;

  bool knows_all() const { return all_.has_value(); }

 private:
  bool is_near_others(double shift, double floor) const;
  void apply_form(double shift, double floor, std::span<double> x) const;

  SmallMatrix b_;
  std::optional<TridiagonalForm> form_;
  EigenPairs inside_{{}, SmallMatrix(0, 0)};  // the lowest few, of the tridiagonal form
  EigenPairs few_{{}, SmallMatrix(0, 0)};     // of B
  mutable std::optional<EigenPairs> all_;
};

}  // namespace cisolve::solver
