#pragma once

#include <vector>

#include "solver/basis/ritz_basis.hpp"
#include "solver/basis/roots.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Vectors V above the roots whose images A V a solution leaves behind; a search below a shift
/// excludes them.
/// If M = V^T (A - shift) V is positive on the complement of the roots, A - shift has as many
/// negative eigenvalues as on the roots and on the complement of (A - shift) V together
/// (Haynsworth's inertia additivity): the search may be restricted to the latter. This holds for
/// any V, converged or not; the better V, the higher the rest of the spectrum begins.
class KnownUpperSpace {
 public:
  static constexpr int kMost = 20;            // vectors; each costs 16 bytes per row and step
  static constexpr double kNearShare = 1e-2;  // part of the spread of the Ritz values

  /// Takes vectors above the first `roots` Ritz vectors of `basis`, which must not change, from
  /// `rest`, or from `basis` if `rest` is null. The eigenvalues of M are at least `least`.
  KnownUpperSpace(const Task& task, const LanczosRemainder* rest, RitzBasis& basis, int roots,
                  double shift, double least);

  /// The vectors above the roots and their degeneracy width.
  static KnownUpperSpace roots_and_width(const Task& task, RitzBasis& basis, const Roots& roots);

  int count() const { return coefficients_.columns(); }
  /// Number of vectors within kNearShare of the spread above the shift: a search resolves these one
  /// by one, if they are few, while the others are no lower than the rest of the spectrum.
  int near(double largest) const;
  /// Keeps the lowest `count`.
  void keep(int count) { coefficients_ = columns_of(coefficients_, 0, count); }

  /// y = (A - shift) V
  void fill_images(Columns y) const;

 private:
  void take_from_basis(int roots, double least);
  void take_from_rest(double least);

  const Task& task_;
  const LanczosRemainder* rest_;
  RitzBasis& basis_;
  double shift_;
  std::vector<double> distances_;   // values minus shift, ascending
  SmallMatrix coefficients_{0, 0};  // V in the basis, or (A - shift) V in the rest
};

}  // namespace cisolve::solver
