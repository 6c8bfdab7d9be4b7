#pragma once

#include <vector>

#include "solver/basis/search_space.hpp"
#include "solver/task/wanted.hpp"

namespace cisolve::solver {

/// A search space with its Ritz pairs H s = theta s, and with the coefficients of the Ritz vectors
/// that were last worked on, which a restart keeps as well.
class RitzBasis {
 public:
  /// With `wanted` the pairs come in its order, so many of them first; else ascending. Near an
  /// energy most are no pairs of H, but vectors of the basis with their Rayleigh quotients.
  RitzBasis(MeteredOperator& matrix, Vectors& vectors, const SearchSpace::Kind& kind,
            const Wanted* wanted = nullptr, int states = 0)
      : vectors_(vectors), space_(matrix, vectors, kind), wanted_(wanted), states_(states) {}

  SearchSpace& space() { return space_; }
  int size() const { return space_.size(); }
  int room() const { return space_.room(); }

  void update();
  const std::vector<double>& values() const { return pairs_.values; }
  std::vector<double> first(int count) const {
    return {values().begin(), values().begin() + count};
  }
  /// The largest magnitude of a value.
  double largest() const { return largest_; }
  /// How far the nearest value beyond the first `count` is from that of a root.
  double gap_beyond(int count, int root) const;
  /// Of the pairs in what is to be followed; none where nothing is.
  const std::vector<double>& weights() const { return weights_; }

  /// Near an energy, of the basis: V^T (A - energy)^2 V.
  const SmallMatrix& squared() const { return space_.squared(); }

  /// What arithmetic loses in a residual.
  double rounding() const;

  /// Columns s of the given roots.
  SmallMatrix coefficients(const std::vector<int>& roots) const;
  SmallMatrix first_coefficients(int count) const { return columns_of(pairs_.vectors, 0, count); }

  void remember(SmallMatrix worked_on) { previous_ = std::move(worked_on); }
  void forget() { previous_ = SmallMatrix(0, 0); }

  /// r = A V s - theta V s of each root, in the free columns. Returns the norms.
  std::vector<double> find_residuals(const std::vector<int>& roots);

  /// The `kept` first Ritz vectors and what is remembered, at most `most` columns in all.
  SmallMatrix kept_coefficients(int kept, int most) const;

  /// V = V [s, what is remembered]
  void restart(int kept, int most);

  /// How far the residual of a root may be from what is found: SearchSpace::blur().
  double blur(int root) const { return space_.blur(pairs_.vectors, root); }
  /// After a restart: makes the images of some Ritz vectors anew, by a product each.
  void sharpen(const std::vector<int>& roots);
  /// After a restart: SearchSpace::renew(). Returns by how much an image of the first `roots` was
  /// another one, where that is known.
  double renew(int roots);

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

  const Wanted* wanted_;  // or null
  int states_;
  SmallMatrix overlaps_{0, 0};  // T^T V with a target T
  std::vector<double> weights_;
};

}  // namespace cisolve::solver
