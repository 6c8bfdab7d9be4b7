#pragma once

#include <functional>

#include "ci/sectors/spin_sector.hpp"

// What terms and operations make of single words, by their definitions: this is what verifies, and
// knows nothing of masks, strings and tables.
namespace cisolve::ci {

/// Where an operation takes a word, places one by one.
SpinWord image_of(const SpinOperation& operation, const Filling& filling, SpinWord word);

/// -1 where electrons come to be in an odd order by that, else 1.
int order_sign(const SpinOperation& operation, const Filling& filling, SpinWord word);

/// Calls visit(word, value) for what each operator of a term makes of a word.
void apply_term(const Term& term, const Filling& filling, SpinWord word,
                const std::function<void(SpinWord, double)>& visit);

}  // namespace cisolve::ci
