#pragma once

#include <span>

#include "base/block.hpp"
#include "ci/selected/growth.hpp"
#include "ci/selected/perturbation.hpp"

// Selection by importance: CIPSI (Huron, Malrieu and Rancurel 1973; Y. Garniron et al., J. Chem.
// Theory Comput. 15, 3591 (2019)). The score of an external determinant a is its largest share of a
// second-order energy, max_s |V_a^s|^2 / |E_s - H_aa|; scores come from the pass that sums them.
namespace cisolve::ci {

struct BestScoresResult {
  GrowthResult growth;              // candidates: external determinants with a score
  PerturbationResult perturbation;  // result for the previous list
};

/// Adds to a list the determinants of the highest scores, of equal ones the first in canonical
/// order, until it has `size` determinants or no more are left. With `complete_spin` whole
/// configurations, by the highest score of their determinants, as long as the next one fits; the
/// list must be spin complete then. The list depends neither on threads nor on batches as long as
/// no two scores differ by their rounding alone. It is as before if this throws:
/// ErrorKind::bad_input as perturb() does, or for a list that is not complete,
/// ErrorKind::resources.
///
/// Memory besides that of perturb(): 16 W + 8 bytes for each of twice the determinants that are
/// added.
template <int W>
BestScoresResult grow_to_size(SelectedList<W>& list, const HeatBathTables& tables,
                              base::ConstBlock coefficients, std::span<const double> energies,
                              Index size, bool complete_spin, const PerturbationOptions& options);

}  // namespace cisolve::ci
