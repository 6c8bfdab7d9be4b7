#pragma once

#include <functional>
#include <vector>

#include "base/budget.hpp"
#include "ci/fock/spaces/spaces.hpp"

// Spaces in which the class of a string determines with which strings of the other spin it
// combines.
namespace cisolve::ci {

/// The label of a string's class: numbers specific to the kind of space, then the irrep.
using StringLabel = std::vector<int>;
using LabelOfString = std::function<StringLabel(Spin, const String&)>;
using PairPredicate = std::function<bool(const StringLabel& alpha, const StringLabel& beta)>;

/// Strings with their classes, one label each. `held` reserves their memory twice, for the filtered
/// copy.
struct StringClasses {
  std::vector<String> strings;
  std::vector<int> class_of;
  std::vector<StringLabel> labels;
  base::Reservation held;
};

/// Classifies strings by label_of, with the irrep appended.
StringClasses classify(const Sector& sector, Spin spin, std::vector<String> strings,
                       const LabelOfString& label_of, const base::Backend& host);

/// The space of all pairs of strings whose classes are allowed together and whose irrep is the
/// sector's.
Space pair_classes(const Sector& sector, StringClasses alphas, StringClasses betas,
                   const PairPredicate& allowed, std::vector<Determinant> references,
                   const base::Backend& host);

}  // namespace cisolve::ci
