#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/block.hpp"
#include "ci/selected/heat_bath.hpp"
#include "ci/selected/results.hpp"
#include "ci/selected/selected_list.hpp"

// Second-order perturbation with the partition of Epstein (Phys. Rev. 28, 695 (1926)) and Nesbet
// (Proc. R. Soc. A 230, 312 (1955)), as CIPSI introduced it for selected spaces (B. Huron, J. P.
// Malrieu and P. Rancurel, J. Chem. Phys. 58, 5745 (1973)). For a state psi = sum_i c_i |i> of
// variational energy E in a list, over all determinants a outside of it:
//
//   V_a      = sum_i H_ai c_i                          (coupling)
//   E2       = sum_a V_a^2 / (E - H_aa)
//   variance = sum_a V_a^2  = <psi|(H - E)^2|psi>      (if psi is an eigenstate in the list)
//   S2       = 2 <psi|S^2|1>,  |1> = sum_a V_a / (E - H_aa) |a>
//
// External determinants are visited by their alpha strings, each of which is processed as a whole
// by one thread. So no term is computed twice, no list of external determinants is held, and the
// terms of a coupling are added in a fixed order.
namespace cisolve::ci {

struct PerturbationOptions {
  double epsilon = 1e-7;          // Hartree: terms with max_s |H_ai c_i^s| < epsilon are dropped
  bool spin_squared = true;       // whether S2 is computed
  Index links_at_once = 1 << 18;  // alpha links that a thread holds
  Index externals_at_once =
      1 << 21;  // terms of one alpha string; more take several passes over them
};

struct PerturbationResult {
  std::vector<StatePerturbation> states;
  Index terms = 0;      // H_ai c_i that were added, those to a in the list included
  Index externals = 0;  // determinants a
  /// The smallest H_aa - E of any state and a. The sum is meaningless if it is not positive: an
  /// external determinant lies below the state.
  double smallest_gap = 0;
  int threads = 0;  // fewer than the host has if the budget does not hold the workspaces of all
};

/// The external determinants of one alpha string, or some of them. Spans are valid during the call.
template <int W>
struct ExternalDeterminants {
  OrbitalBits<W> alpha;
  std::span<const OrbitalBits<W>> betas;
  std::span<const double> couplings;  // V_a of all states of a determinant, then of the next one
  std::span<const double> diagonal;   // H_aa
};
/// Called from several threads at once, in no certain order.
template <int W>
using ExternalVisitor = std::function<void(const ExternalDeterminants<W>&)>;

/// The perturbation of states with these variational energies (core energy included) and
/// coefficients, a column each. Bits are the same for any number of threads; other numbers of links
/// and externals at once change the order of sums alone. Throws ErrorKind::bad_input as grow() does
/// and for other numbers of energies and states, ErrorKind::resources if the budget does not hold
/// the workspace of one thread.
///
/// Memory: ParentGroups::bytes and, for each thread, links_at_once x 8 (W + 1) bytes and
/// externals_at_once x 8 (3 W + 5 states + 5) bytes, of at most as many externals as there are beta
/// strings.
template <int W>
PerturbationResult perturb(const SelectedList<W>& list, const HeatBathTables& tables,
                           base::ConstBlock coefficients, std::span<const double> energies,
                           const PerturbationOptions& options,
                           const ExternalVisitor<W>& visitor = {});

}  // namespace cisolve::ci
