#pragma once

#include <memory>

#include "base/operator.hpp"
#include "ci/space.hpp"

namespace cisolve::ci {

/// The same Hamiltonian straight from the determinants, to verify what a stored one gives: each row
/// tries every move of one or two electrons and looks its determinant up. It keeps nothing but the
/// determinants and takes nothing from the tables of HamiltonianRows. Canonical order; host only.
/// The integrals must outlive it. Off-diagonal elements of at most `threshold` are left out, as
/// there.
class DirectOperator final : public base::LinearOperator {
 public:
  DirectOperator(const Space& space, const Integrals& integrals, double threshold = 0);

  Index rows() const override { return determinants_.size(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override;

 private:
  struct Slot {
    std::uint32_t tag;  // bits of the hash that did not choose the slot
    Column row;         // -1 where there is none
  };

  /// Calls visit(column, value) for each element of a row whose integrals are not zero.
  template <class Visit>
  void visit_row(Index row, Visit&& visit) const;
  Index find(const Determinant& determinant) const;

  const Integrals& integrals_;
  double threshold_;
  base::Array<Determinant> determinants_;
  base::Array<Slot> slots_;  // of a hash table
};

/// The same operator on a device, written for itself: it too keeps nothing but the determinants and
/// the integrals, of which it takes copies, and knows nothing of the device's builder. Vectors lie
/// in the device's memory.
std::unique_ptr<base::LinearOperator> direct_operator_on(const base::Backend& device,
                                                         const Space& space,
                                                         const Integrals& integrals,
                                                         double threshold = 0);

}  // namespace cisolve::ci
