#pragma once

#include <span>

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "ci/sectors/spin_sector.hpp"
#include "ci/words/spin_words.hpp"

// States of one total spin among all of a projection and a symmetry. Spins are told by twice their
// total.
namespace cisolve::ci {

/// S^2 as couplings of all pairs and, of electrons, what they are on each site; of spins on sites
/// it is fixed_spin_squared() more.
SpinModel spin_squared(const Filling& filling);
std::vector<Term> spin_squared_terms(const Filling& filling);
double fixed_spin_squared(const Filling& filling);

/// How many states of a total spin there are, which has to be kept as the projection of the words
/// is. Each spin of at least S has one state of the projection S.
double spin_dimension(const Filling& filling, const std::optional<SpinSector>& sector,
                      int twice_spin);

/// No two energies of a model that keeps the total spin are further apart: those of a pair are by
/// its coupling.
double energy_width(const SpinModel& model);

/// A polynomial of S^2 that is 0 for one total spin and 1 or more for all others that the states
/// can have. Where these are all larger, or all smaller, it is straight, else a square.
struct SpinLift {
  double offset = 0;  // added to what spin_squared() gives: 0 for the spin
  double factor = 0;  // of that, or of its square; 0 where there are no other spins
  bool is_square = false;
};

SpinLift spin_lift(const Filling& filling, const std::optional<SpinSector>& sector, int twice_spin);

/// An operator that keeps the total spin, and `height` times a lift on top of it: states of the
/// spin stay what they are with their energies, others rise.
class LiftedSpins final : public base::LinearOperator {
 public:
  /// `pairs` is spin_squared(). `backend` is that of the vectors; the operators must outlive this.
  /// So many vectors are lifted at once, as many on all ranks that share them.
  LiftedSpins(const base::LinearOperator& h, const base::LinearOperator& pairs,
              const SpinLift& lift, double height, const base::Backend& backend, int at_once);

  Index rows() const override { return h_.rows(); }
  /// Not for concurrent use: products share their room.
  void apply(base::ConstBlock x, base::Block y) const override;
  base::OperatorDescription description() const override { return h_.description(); }

 private:
  /// lift(S^2) x, of a few columns.
  base::Block lifted(base::ConstBlock x) const;
  void shifted(base::ConstBlock x, base::Block y) const;

  const base::LinearOperator& h_;
  const base::LinearOperator& pairs_;
  SpinLift lift_;
  double height_;
  base::Backend backend_;
  mutable base::MultiVector image_;
  mutable base::MultiVector square_;
};

}  // namespace cisolve::ci
