#pragma once

#include <vector>

#include "solver/methods/search_space.hpp"

namespace cisolve::solver {

/// A search space with its Ritz pairs H s = theta s, and with the coefficients of the Ritz vectors
/// that were last worked on, which a restart keeps as well.
class RitzBasis {
 public:
  RitzBasis(MeteredOperator& matrix, Vectors& vectors, int capacity)
      : vectors_(vectors), space_(matrix, vectors, capacity) {}

  SearchSpace& space() { return space_; }
  int size() const { return space_.size(); }
  int room() const { return space_.room(); }

  void update() { pairs_ = space_.ritz(); }
  const std::vector<double>& values() const { return pairs_.values; }
  std::vector<double> lowest(int count) const {
    return {values().begin(), values().begin() + count};
  }
  /// What arithmetic loses in a residual.
  double rounding() const;

  /// Columns s of the given roots.
  SmallMatrix coefficients(const std::vector<int>& roots) const;
  SmallMatrix lowest_coefficients(int count) const { return columns_of(pairs_.vectors, 0, count); }

  void remember(SmallMatrix worked_on) { previous_ = std::move(worked_on); }
  void forget() { previous_ = SmallMatrix(0, 0); }

  /// r = A V s - theta V s of each root, in the free columns. Returns the norms.
  std::vector<double> find_residuals(const std::vector<int>& roots);

  /// The `kept` lowest Ritz vectors and what is remembered, at most `most` columns in all.
  SmallMatrix kept_coefficients(int kept, int most) const;

  /// V = V [s, what is remembered]
  void restart(int kept, int most);

 private:
  Vectors& vectors_;
  SearchSpace space_;
  EigenPairs pairs_{{}, SmallMatrix(0, 0)};
  SmallMatrix previous_{0, 0};
};

}  // namespace cisolve::solver
