#pragma once

#include <vector>

#include "solver/basis/ritz_basis.hpp"
#include "solver/basis/roots.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Vectors V above the roots whose images A V a solution leaves behind, so that a search below a
/// shift need not see them once more.
///
/// With M = V^T (A - shift) V positive, beside the roots, A - shift has exactly as many negative
/// eigenvalues as on the roots and on what is orthogonal to (A - shift) V together (Haynsworth's
/// law of inertia): there it is enough to look. What V tells is exact whether or not its vectors
/// have converged; the better they are, the higher the rest of the spectrum begins.
class KnownAbove {
 public:
  static constexpr int kMost = 20;            // each costs 16 bytes a row and step
  static constexpr double kNearShare = 1e-2;  // of the spread of the Ritz values

  /// The first `roots` Ritz vectors of the basis, which has to stay as it is, are known. No
  /// eigenvalue of M is smaller than `least`. What lies above is that of `rest`, or of the basis
  /// where that is null.
  KnownAbove(const Task& task, const KrylovRest* rest, RitzBasis& basis, int roots, double shift,
             double least);

  /// Above the roots and the width of an energy.
  static KnownAbove roots_and_width(const Task& task, RitzBasis& basis, const Roots& roots);

  int count() const { return coefficients_.columns(); }
  /// Those that are nearer to the shift than a share of the spread: where they are few, a search
  /// resolves them one by one, while the others are no lower than the rest of the spectrum.
  int near(double largest) const;
  /// The lowest alone.
  void keep(int count) { coefficients_ = columns_of(coefficients_, 0, count); }

  /// y = (A - shift) V
  void fill_images(Columns y) const;

 private:
  void take_from_basis(int roots, double least);
  void take_from_rest(double least);

  const Task& task_;
  const KrylovRest* rest_;
  RitzBasis& basis_;
  double shift_;
  std::vector<double> distances_;   // of their values from the shift, ascending
  SmallMatrix coefficients_{0, 0};  // V in the basis, or (A - shift) V in the rest
};

}  // namespace cisolve::solver
