#pragma once

#include <numbers>
#include <vector>

#include "base/block.hpp"
#include "base/operator.hpp"
#include "job/states/model_elements.hpp"
#include "python/core/hamiltonian.hpp"

namespace cisolve::python {

/// Vectors of as many alpha as beta electrons that stay what they are when these are exchanged:
/// those of all even spins. A function for each determinant and its flip.
class EvenSpins {
 public:
  struct Pair {
    Index row;
    Index flip;  // >= row
    /// Of |row> + |flip>, which may be one determinant twice.
    double factor() const { return row == flip ? 0.5 : std::numbers::sqrt2 / 2; }
  };

  /// `places`: of determinants among all strings with all strings; empty where these are all.
  EvenSpins(Index strings, const std::vector<Index>& places);

  const std::vector<Pair>& pairs() const { return pairs_; }
  Index rows() const { return std::ssize(pairs_); }
  /// What vectors over determinants have of these functions.
  void contract(base::ConstBlock determinants, base::Block functions) const;
  void expand(base::ConstBlock functions, base::Block determinants) const;

 private:
  std::vector<Pair> pairs_;
};

/// The Hamiltonian among these functions, on the host; its elements straight from determinants.
class EvenHamiltonian final : public base::LinearOperator, public solver::ModelBlock {
 public:
  /// Both must outlive it.
  EvenHamiltonian(Hamiltonian& hamiltonian, const EvenSpins& spins);

  Index rows() const override { return spins_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override;

 private:
  Hamiltonian& hamiltonian_;
  const EvenSpins& spins_;
  job::ModelElements elements_;
};

}  // namespace cisolve::python
