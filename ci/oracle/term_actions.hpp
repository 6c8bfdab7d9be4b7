#pragma once

#include <functional>

#include "ci/lattice/sectors/symmetry_sector.hpp"

// The action of terms and operations on single words, straight from their definitions: used by the
// oracle, independent of masks, strings and tables.
namespace cisolve::ci {

/// The image of a word, place by place.
BasisState image_of(const SymmetryOperation& operation, const ParticleNumbers& filling,
                    BasisState word);

/// The fermion sign: -1 if the operation permutes the electrons oddly, else 1.
int fermion_sign(const SymmetryOperation& operation, const ParticleNumbers& filling,
                 BasisState word);

/// Calls visit(word', value) for each operator of the term applied to `word`.
void apply_term(const Term& term, const ParticleNumbers& filling, BasisState word,
                const std::function<void(BasisState, double)>& visit);

}  // namespace cisolve::ci
