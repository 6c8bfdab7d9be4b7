#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/operator.hpp"
#include "ci/oracle/opposite_spin_doubles.hpp"
#include "ci/oracle/rowwise.hpp"

namespace cisolve::ci {

/// Oracle: H by the Slater-Condon rules straight from determinants, to verify stored and on-the-fly
/// products. For all vectors of a block at once it tries every single and double excitation that
/// the integrals allow and looks up the resulting strings. Signs, elements and integral look-up are
/// its own; it uses no table of HamiltonianRows. Canonical order, host only; the integrals must
/// outlive it. Off-diagonal elements of size <= threshold are dropped, as there. The product of a
/// vector does not depend on the others of its block.
class OracleOperator final : public OracleProduct {
 public:
  OracleOperator(const Space& space, const Integrals& integrals, double threshold = 0);

  Index rows() const override { return first_row_[first_row_.size() - 1]; }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override;
  base::Layout row_layout(int ranks) const override;
  void keep_rows(Index first, Index count) override;

  /// Fastest if consecutive rows belong to one alpha string.
  void multiply_rows(std::span<const Index> rows, const double* x,
                     std::span<double> values) const override;
  bool multiply_rows_of_random(std::span<const Index> rows, const base::RandomVector& x,
                               std::span<double> values) const override;

 private:
  template <int kColumns>
  friend class OracleWalk;
  template <class Vector>
  friend class OracleRow;

  std::span<const StringNumber> members(Index list) const {
    return members_.span().subspan(first_member_[list],
                                   first_member_[list + 1] - first_member_[list]);
  }
  std::span<const StringNumber> betas_of(Index alpha) const { return members(list_of_[alpha]); }
  BetaSingles found_moves(const Space& space);
  void fill_lists(const Space& space);
  void fill_reach();
  /// Batches of alpha strings.
  struct Groups {
    base::Array<StringNumber> order;  // alpha strings, sorted by list
    base::Array<Index> begins;        // offsets of groups in `order`, and the end
    std::vector<Index> chunks;        // first group of each parallel task, and the end
  };

  Groups grouped(Index first_alpha, Index last_alpha) const;
  std::vector<Index> chunks_of(const Groups& groups) const;
  double work_of(Index alpha) const;
  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y, bool reports) const;
  template <class Vector>
  void multiply_some(std::span<const Index> rows, const Vector& x, std::span<double> values) const;

  OracleIntegrals integrals_;
  double threshold_;
  ExcitationScreen screen_;
  StringFinder alphas_;
  StringFinder betas_;
  base::Array<Index> first_row_;           // alphas + 1: contiguous rows
  base::Array<StringNumber> list_of_;      // one per alpha string
  base::Array<Index> first_member_;        // lists + 1
  base::Array<StringNumber> members_;      // beta strings of each list, ascending
  base::Array<std::uint8_t> reach_;        // one per beta string; see BetaSingle
  base::Array<std::uint8_t> least_reach_;  // minimum over each list
  base::Array<double> beta_energies_;
  Groups groups_;
  Index first_kept_ = 0;  // the row of y's first element
  BetaSingles moves_;
  OppositeSpinIntegralRows mixed_;
};

/// The oracle on a device, an independent implementation: it stores determinants, copies of the
/// integrals and the excitation screen, and shares nothing with the device's builder. Vectors are
/// in device memory.
std::unique_ptr<base::LinearOperator> oracle_operator_on(const base::Backend& device,
                                                         const Space& space,
                                                         const Integrals& integrals,
                                                         double threshold = 0);

}  // namespace cisolve::ci
