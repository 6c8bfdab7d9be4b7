#pragma once

#include <span>

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "ci/lattice/sectors/symmetry_sector.hpp"
#include "ci/lattice/words/basis_states.hpp"

// Restriction to one total spin within given Ms and symmetry. Spins are given as 2 S.
namespace cisolve::ci {

/// S^2 as a model: couplings of all pairs and, for electrons, on-site terms. For spins on sites S^2
/// is larger by the constant fixed_spin_squared().
SiteModel spin_squared(const ParticleNumbers& filling);
std::vector<Term> spin_squared_terms(const ParticleNumbers& filling);
double fixed_spin_squared(const ParticleNumbers& filling);

/// The number of states with total spin S, which must be conserved: dim(Ms = S) - dim(Ms = S + 1).
double spin_dimension(const ParticleNumbers& filling, const std::optional<SymmetrySector>& sector,
                      int twice_spin);

/// An upper bound on the spectral width of a model that conserves total spin: the sum over
/// couplings.
double energy_width(const SiteModel& model);

/// A polynomial of S^2 that is 0 for one total spin and >= 1 for all others present: linear if
/// these are all larger or all smaller, else quadratic.
struct SpinShift {
  double offset = 0;  // added to spin_squared(); makes 0 for the target spin
  double factor = 0;  // factor of the shifted S^2 or its square; 0 if there are no other spins
  bool is_square = false;
};

SpinShift spin_shift(const ParticleNumbers& filling, const std::optional<SymmetrySector>& sector,
                     int twice_spin);

/// H + height * p(S^2), p being a SpinShift: states of the target spin keep their energies, others
/// are raised. H must conserve S^2.
class SpinShiftedOperator final : public base::LinearOperator {
 public:
  /// `pairs` is spin_squared(); vectors are on `backend`; the operators must outlive this.
  /// `at_once`: columns per pass, equal on all ranks.
  SpinShiftedOperator(const base::LinearOperator& h, const base::LinearOperator& pairs,
                      const SpinShift& lift, double height, const base::Backend& backend,
                      int at_once);

  Index rows() const override { return h_.rows(); }
  /// Not safe for concurrent use: products share workspace.
  void apply(base::ConstBlock x, base::Block y) const override;
  base::OperatorDescription description() const override { return h_.description(); }

 private:
  /// p(S^2) x for up to at_once columns.
  base::Block lifted(base::ConstBlock x) const;
  void shifted(base::ConstBlock x, base::Block y) const;

  const base::LinearOperator& h_;
  const base::LinearOperator& pairs_;
  SpinShift lift_;
  double height_;
  base::Backend backend_;
  mutable base::MultiVector image_;
  mutable base::MultiVector square_;
};

}  // namespace cisolve::ci
