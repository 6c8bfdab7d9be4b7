#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/operator.hpp"
#include "ci/spaces/space.hpp"
#include "ci/strings/string_index.hpp"

namespace cisolve::ci {

/// The same Hamiltonian straight from the determinants, to verify what a stored one gives: every
/// move of one or two electrons is tried, and the strings that it leads to are looked up. It keeps
/// nothing but the determinants and the moves of beta strings, and takes nothing from the tables of
/// HamiltonianRows. Canonical order; host only. The integrals must outlive it. Off-diagonal
/// elements of at most `threshold` are left out, as there.
class DirectOperator final : public base::LinearOperator {
 public:
  DirectOperator(const Space& space, const Integrals& integrals, double threshold = 0);

  Index rows() const override { return beta_of_.size(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override;

  /// From now on `hear` is told, from any thread, of the rows of a product that are done.
  void watch(std::function<void(Index rows)> hear) { hear_ = std::move(hear); }

 private:
  friend class DirectWalk;

  /// A move of one electron from a beta string to another one of the space. Its reach is a measure
  /// of how many alpha strings go with the target: a beta string that reaches less than all those
  /// of an alpha string cannot be among them, and where spaces are truncated that tells nearly all.
  struct BetaMove {
    StringNumber target;
    std::uint8_t from;
    std::uint8_t to;
    std::uint8_t reach;
    bool odd;
  };

  std::vector<std::uint8_t> reach_of_betas();
  void fill_beta_moves();

  const Integrals& integrals_;
  double threshold_;
  StringIndex alphas_;
  StringIndex betas_;
  base::Array<Index> first_row_;           // alphas + 1: their rows stand together
  base::Array<StringNumber> beta_of_;      // by rows
  base::Array<Index> first_move_;          // betas + 1
  base::Array<BetaMove> moves_;            // of each beta string, the farthest reach first
  base::Array<std::uint8_t> least_reach_;  // of the betas of each alpha
  std::function<void(Index)> hear_;
};

/// The same operator on a device, written for itself: it too keeps nothing but the determinants and
/// the integrals, of which it takes copies, and knows nothing of the device's builder. Vectors lie
/// in the device's memory.
std::unique_ptr<base::LinearOperator> direct_operator_on(const base::Backend& device,
                                                         const Space& space,
                                                         const Integrals& integrals,
                                                         double threshold = 0);

}  // namespace cisolve::ci
