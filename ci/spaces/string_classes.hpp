#pragma once

#include <functional>
#include <vector>

#include "base/budget.hpp"
#include "ci/spaces/spaces.hpp"

// Spaces whose strings stand together by classes: those with which others a string may stand are
// told by labels, as many as there are kinds of them.
namespace cisolve::ci {

/// What decides with which other strings a string may stand: numbers that the kind of space
/// compares, then its irrep.
using StringLabel = std::vector<int>;
using LabelOfString = std::function<StringLabel(Spin, const String&)>;
using MayStandTogether = std::function<bool(const StringLabel& alpha, const StringLabel& beta)>;

/// Strings sorted into classes of one label each. Strings and classes are held of the host's
/// memory, once more for those that are sifted from them.
struct StringClasses {
  std::vector<String> strings;
  std::vector<int> class_of;
  std::vector<StringLabel> labels;
  base::Reservation held;
};

/// In classes by their labels, to which irreps are added.
StringClasses classify(const Sector& sector, Spin spin, std::vector<String> strings,
                       const LabelOfString& label_of, const base::Backend& host);

/// The space of the strings whose classes may stand together, of the irrep of the sector.
Space pair_classes(const Sector& sector, StringClasses alphas, StringClasses betas,
                   const MayStandTogether& allowed, std::vector<Determinant> references,
                   const base::Backend& host);

}  // namespace cisolve::ci
