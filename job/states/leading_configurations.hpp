#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "job/problem/determinant_problem.hpp"
#include "job/results/job_results.hpp"

namespace cisolve::job {

/// The names of orbitals relative to a determinant. Orbitals are ordered by the diagonal elements
/// of its Fock operator, averaged over the spins where both share the orbitals; those that differ
/// by less than 1e-6 Hartree by their numbers. The highest doubly occupied orbital is HOMO, the one
/// below HOMO-1; the lowest empty one is LUMO, the one above LUMO+1; singly occupied ones are
/// SOMO, or SOMO1, SOMO2 and so on from below. Where alpha and beta orbitals differ, each spin has
/// names of its own, such as HOMO(a) and LUMO(b).
class OrbitalNames {
 public:
  /// `reference`: over the active orbitals of `molecule`, which must outlive this.
  OrbitalNames(const DeterminantProblem& molecule, const ci::Determinant& reference);

  const ci::Determinant& reference() const { return reference_; }
  bool by_spin() const { return by_spin_; }

  struct Orbital {
    Index number;   // counted from 1 in the problem's order
    double energy;  // energy of the Fock operator
    std::string name;
    int rank;  // distance from the gap, for the order in texts
  };
  /// The active orbitals, by number; those of `spin` if alpha and beta orbitals differ.
  const std::vector<Orbital>& orbitals(ci::Spin spin) const {
    return orbitals_[by_spin_ && spin == ci::Spin::beta ? 1 : 0];
  }

  /// How a determinant over the active orbitals differs from the reference.
  LeadingConfiguration describe(const ci::Determinant& determinant) const;

 private:
  void name_shared(const DeterminantProblem& molecule);
  void name_spin(const DeterminantProblem& molecule, ci::Spin spin);

  ci::Determinant reference_;
  bool by_spin_;
  std::array<std::vector<Orbital>, 2> orbitals_;
};

/// Relative to the leading determinant of a state; none if orbitals are sites of a lattice.
std::optional<OrbitalNames> orbital_names(const DeterminantProblem& molecule, const double* x);

/// At most `count` configurations of `x`, over the space in canonical order, by falling weight:
/// those of its 16 `count` leading determinants.
std::vector<LeadingConfiguration> leading_configurations(const DeterminantProblem& molecule,
                                                         const OrbitalNames& names, const double* x,
                                                         Index count);

ConfigurationReference configuration_reference(const DeterminantProblem& molecule,
                                               const OrbitalNames& names);

}  // namespace cisolve::job
