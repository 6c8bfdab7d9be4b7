#pragma once

#include <memory>

#include "base/operator.hpp"
#include "ci/properties/single_excitations.hpp"

namespace cisolve::ci {

/// S^2 = S_z (S_z + 1) + S_- S_+ in the determinants of a space, in canonical order; host only.
///
/// Intermediate states of S_- S_+ may lie outside the space. x^T S^2 x is <S^2> in any space; S^2 x
/// is complete if the space is closed under S^2: with a determinant it holds all distributions of
/// the spins over its open shells.
class SpinSquared final : public base::LinearOperator {
 public:
  explicit SpinSquared(const Space& space);  // the space must outlive it

  Index rows() const override { return space_.dimension(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return {"S^2", 0, 0, 0}; }

  /// The first row that S^2 takes out of the space; -1 if the space is closed under S^2.
  Index first_unclosed_row() const;

 private:
  template <class Take>
  void for_each_alpha(Take&& take) const;
  void add_in_strides(Index alpha, base::ConstBlock x, base::Block y) const;

  const Space& space_;
  double ms_;
  std::shared_ptr<const SingleExcitations> alpha_;
  std::shared_ptr<const SingleExcitations> beta_;  // == alpha_ if the strings agree
  std::optional<SpinExchangeTable> exchanges_;
};

}  // namespace cisolve::ci
