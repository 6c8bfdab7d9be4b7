#pragma once

#include <vector>

#include "solver/basis/search_space.hpp"
#include "solver/task/state_selection.hpp"

namespace cisolve::solver {

/// Search space with its Ritz pairs H s = theta s, and the coefficients of the Ritz vectors that
/// were last corrected, which a restart keeps as well (GD+k).
class RitzBasis {
 public:
  /// Without `wanted` the pairs ascend; with it the `states` selected ones come first. Near an
  /// energy most are not eigenpairs of H, but vectors of the basis with their Rayleigh quotients.
  RitzBasis(MeteredOperator& matrix, Vectors& vectors, const SearchSpace::Kind& kind,
            const StateSelection* wanted = nullptr, int states = 0)
      : vectors_(vectors), space_(matrix, vectors, kind), wanted_(wanted), states_(states) {}

  SearchSpace& space() { return space_; }
  int size() const { return space_.size(); }
  int free_columns() const { return space_.free_columns(); }

  void update();
  const std::vector<double>& values() const { return pairs_.values; }
  std::vector<double> first(int count) const {
    return {values().begin(), values().begin() + count};
  }
  /// Largest |theta|.
  double largest() const { return largest_; }
  /// Distance from the value of `root` to the nearest value after the first `count`.
  double gap_beyond(int count, int root) const;
  /// Weights of the Ritz vectors in the target to follow; empty without a target.
  const std::vector<double>& weights() const { return weights_; }

  /// V^T (A - energy)^2 V, near an energy only.
  const SmallMatrix& squared() const { return space_.squared(); }

  /// Rounding error of a residual.
  double rounding() const;

  /// Coefficients s of the given roots.
  SmallMatrix coefficients(const std::vector<int>& roots) const;
  SmallMatrix first_coefficients(int count) const { return columns_of(pairs_.vectors, 0, count); }

  void remember(SmallMatrix worked_on) { previous_ = std::move(worked_on); }
  void forget() { previous_ = SmallMatrix(0, 0); }

  /// Writes r = A V s - theta V s of each root into the free columns. Returns the norms.
  std::vector<double> find_residuals(const std::vector<int>& roots);

  /// The first `kept` Ritz vectors and the remembered ones, at most `most` columns in all.
  SmallMatrix kept_coefficients(int kept, int most) const;

  /// V = V [s, s_previous]
  void restart(int kept, int most);

  /// Bound on the error of a root's residual: SearchSpace::image_error().
  double image_error(int root) const { return space_.image_error(pairs_.vectors, root); }
  /// After a restart: recomputes the images of some Ritz vectors, with one product each.
  void recompute_images(const std::vector<int>& roots);
  /// After a restart: calls SearchSpace::recompute_all_images(). Returns the largest change of an
  /// image of the first `roots`, or 0 if it is not known.
  double recompute_all_images(int roots);

 private:
  void fold();
  void weigh();
  void put_wanted_first();
  void put_first(const std::vector<int>& order);

  Vectors& vectors_;
  SearchSpace space_;
  EigenPairs pairs_{{}, SmallMatrix(0, 0)};
  SmallMatrix previous_{0, 0};
  double largest_ = 0;

  const StateSelection* wanted_;  // may be null
  int states_;
  SmallMatrix overlaps_{0, 0};  // T^T V with a target T
  std::vector<double> weights_;
};

}  // namespace cisolve::solver
