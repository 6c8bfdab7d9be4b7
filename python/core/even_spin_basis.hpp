#pragma once

#include <numbers>
#include <vector>

#include "base/block.hpp"
#include "base/operator.hpp"
#include "job/states/model_elements.hpp"
#include "python/core/hamiltonian.hpp"

namespace cisolve::python {

/// Basis of the even spins S = 0, 2, ... for equal numbers of alpha and beta electrons: vectors
/// that are symmetric under exchange of alpha and beta. One function per determinant and its
/// alpha-beta partner.
class EvenSpinBasis {
 public:
  struct Pair {
    Index row;
    Index swapped;  // >= row
    /// Norm factor of |row> + |flip>, which may be one determinant twice.
    double factor() const { return row == swapped ? 0.5 : std::numbers::sqrt2 / 2; }
  };

  /// `places`: positions of the determinants in the alpha x beta product; empty if all are present.
  EvenSpinBasis(Index strings, const std::vector<Index>& places);

  const std::vector<Pair>& pairs() const { return pairs_; }
  Index rows() const { return std::ssize(pairs_); }
  /// Transforms vectors over determinants into this basis; expand() is the inverse.
  void contract(base::ConstBlock determinants, base::Block functions) const;
  void expand(base::ConstBlock functions, base::Block determinants) const;

 private:
  std::vector<Pair> pairs_;
};

/// The Hamiltonian in this basis, on the host; its elements come directly from determinants.
class EvenSpinHamiltonian final : public base::LinearOperator, public solver::ModelBlock {
 public:
  /// The Hamiltonian and the basis must outlive it.
  EvenSpinHamiltonian(Hamiltonian& hamiltonian, const EvenSpinBasis& spins);

  Index rows() const override { return spins_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override;

 private:
  Hamiltonian& hamiltonian_;
  const EvenSpinBasis& spins_;
  job::ModelElements elements_;
};

}  // namespace cisolve::python
