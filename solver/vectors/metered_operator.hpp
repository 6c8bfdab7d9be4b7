#pragma once

#include <optional>

#include "base/device.hpp"
#include "base/symmetry_projector.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

/// The matrix of a problem, with its products counted and timed.
class MeteredOperator {
 public:
  explicit MeteredOperator(const Problem& problem);

  /// y = A x
  void apply(ConstColumns x, Columns y);

  /// Projects vectors onto the matrix's symmetry, as base::SymmetryProjector does. Returns 0 if the
  /// matrix has no projector.
  double project_symmetry(double max_fraction, Columns x) const;

  /// Writes the diagonal into the one column of `d`; false unless every rank knows its own.
  bool diagonal(Columns d) const;

  base::Index products() const { return products_; }
  /// Products without those of the run that this one continues.
  base::Index timed_products() const { return timed_products_; }
  void continue_from(base::Index products) { products_ = products; }
  double seconds() const;
  double bytes_per_second() const;
  base::OperatorDescription description() const { return matrix_.description(); }

 private:
  const base::LinearOperator& matrix_;
  const base::SymmetryProjector* projector_;  // null: none
  const base::Communicator& ranks_;
  base::Backend backend_;
  base::Index bytes_moved_;
  base::Index products_ = 0;
  base::Index timed_products_ = 0;
  double seconds_ = 0;                                    // time on the host
  mutable std::optional<base::cuda::StreamTimer> watch_;  // times a device without synchronisation
};

}  // namespace cisolve::solver
