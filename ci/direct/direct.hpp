#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/operator.hpp"
#include "ci/direct/mixed_moves.hpp"
#include "ci/direct/rowwise.hpp"

namespace cisolve::ci {

/// The same Hamiltonian straight from the determinants, to verify what a stored one gives: every
/// move of one or two electrons that the integrals allow is tried, for all vectors of a block at
/// once, and the strings that it leads to are looked up. It keeps the determinants and what the
/// integrals allow, and takes nothing from the tables of HamiltonianRows: signs, elements and the
/// look-up of integrals are its own. Canonical order; host
/// only. The integrals must outlive it. Off-diagonal elements of at most `threshold` are left out,
/// as there. What a product gives for a vector does not depend on the others of its block.
class DirectOperator final : public DirectProduct {
 public:
  DirectOperator(const Space& space, const Integrals& integrals, double threshold = 0);

  Index rows() const override { return first_row_[first_row_.size() - 1]; }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override;
  base::Layout shares(int ranks) const override;
  void keep(Index first, Index count) override;

  /// Those that follow one another should be of one alpha string.
  void multiply_rows(std::span<const Index> rows, const double* x,
                     std::span<double> values) const override;
  bool multiply_rows_of_random(std::span<const Index> rows, const base::RandomVector& x,
                               std::span<double> values) const override;

 private:
  template <int kColumns>
  friend class DirectWalk;
  template <class Vector>
  friend class DirectRow;

  std::span<const StringNumber> members(Index list) const {
    return members_.span().subspan(first_member_[list],
                                   first_member_[list + 1] - first_member_[list]);
  }
  std::span<const StringNumber> betas_of(Index alpha) const { return members(list_of_[alpha]); }
  BetaMoves found_moves(const Space& space);
  void fill_lists(const Space& space);
  void fill_reach();
  /// Alpha strings that are worked on together.
  struct Groups {
    base::Array<StringNumber> order;  // the strings, those of one list together
    base::Array<Index> begins;        // where groups begin in that order, and the last one ends
    std::vector<Index> chunks;        // groups with which the work of a thread begins, and the end
  };

  Groups grouped(Index first_alpha, Index last_alpha) const;
  std::vector<Index> chunks_of(const Groups& groups) const;
  double work_of(Index alpha) const;
  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y, bool tells) const;
  template <class Vector>
  void multiply_some(std::span<const Index> rows, const Vector& x, std::span<double> values) const;

  DirectIntegrals integrals_;
  double threshold_;
  MoveScreen screen_;
  StringFinder alphas_;
  StringFinder betas_;
  base::Array<Index> first_row_;           // alphas + 1: their rows stand together
  base::Array<StringNumber> list_of_;      // of each alpha
  base::Array<Index> first_member_;        // lists + 1
  base::Array<StringNumber> members_;      // beta strings of each list, ascending
  base::Array<std::uint8_t> reach_;        // of betas
  base::Array<std::uint8_t> least_reach_;  // of the betas of each list
  base::Array<double> beta_energies_;
  Groups groups_;
  Index first_kept_ = 0;  // the row with which y begins
  BetaMoves moves_;
  MixedRows mixed_;
};

/// The same operator on a device, written for itself: it too keeps nothing but the determinants,
/// the integrals, of which it takes copies, and what they allow, and knows nothing of the device's
/// builder. Vectors lie in the device's memory.
std::unique_ptr<base::LinearOperator> direct_operator_on(const base::Backend& device,
                                                         const Space& space,
                                                         const Integrals& integrals,
                                                         double threshold = 0);

}  // namespace cisolve::ci
