#pragma once

#include <algorithm>
#include <optional>

#include "base/multivector.hpp"
#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// Maps determinants over all orbitals to rows of the space of a problem.
class DeterminantRowMap {
 public:
  struct Place {
    Index row;
    double sign;  // between the determinant and that of the space
  };

  /// `molecule` must outlive it.
  explicit DeterminantRowMap(const DeterminantProblem& molecule)
      : molecule_(molecule), is_in_(molecule.window) {}

  /// None for a determinant outside the space.
  std::optional<Place> operator()(const ci::Determinant& whole) const {
    if (!is_in_(whole)) return std::nullopt;
    const ci::Determinant inner = ci::determinant_in(molecule_.window, whole);
    const std::optional<Index> row = molecule_.space.row_of(inner);
    if (!row) return std::nullopt;
    return Place{*row, ci::whole_determinant(molecule_.window, inner).sign};
  }

 private:
  const DeterminantProblem& molecule_;
  ci::InWindow is_in_;
};

/// Vectors of zeros in the host's memory.
inline base::MultiVector zero_vectors(const base::Backend& host, Index rows, int columns) {
  base::MultiVector vectors(host, rows, columns, "vectors of a file");
  const base::Block all = vectors.block();
  for (int j = 0; j < columns; ++j) std::fill_n(all.column(j), rows, 0.0);
  return vectors;
}

}  // namespace cisolve::job
