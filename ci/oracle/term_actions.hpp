#pragma once

#include <functional>

#include "ci/lattice/sectors/spin_sector.hpp"

// The action of terms and operations on single words, straight from their definitions: used by the
// oracle, independent of masks, strings and tables.
namespace cisolve::ci {

/// The image of a word, place by place.
SpinWord image_of(const SpinOperation& operation, const Filling& filling, SpinWord word);

/// The fermion sign: -1 if the operation permutes the electrons oddly, else 1.
int order_sign(const SpinOperation& operation, const Filling& filling, SpinWord word);

/// Calls visit(word', value) for each operator of the term applied to `word`.
void apply_term(const Term& term, const Filling& filling, SpinWord word,
                const std::function<void(SpinWord, double)>& visit);

}  // namespace cisolve::ci
