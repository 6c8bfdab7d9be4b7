#pragma once

#include "ci/hamiltonian/rows/connections.hpp"
#include "ci/hamiltonian/rows/mixed_integrals.hpp"

namespace cisolve::ci {

/// The singles of a beta string that have integrals with an alpha single. Alpha pairs that have
/// integrals with the same beta pairs (as by symmetry) form a class; each class has a list of
/// singles for each beta string.
struct SinglesByClass {
  /// If the lists of all classes exceed `most_growth` times the singles, a single class is made,
  /// with every single that has an integral with any of the pairs.
  SinglesByClass(const ConnectionTable& alpha, const ConnectionTable& beta,
                 const MixedIntegrals& mixed, Index betas, const base::Backend& host,
                 Index most_growth = 4);

  SinglesByClass to(const base::Backend& target) const {
    return {exact, class_of.to(target), offsets.to(target), singles.to(target)};
  }

  bool exact = true;             // every listed single has a non-zero integral
  base::Array<Column> class_of;  // [alpha pair]
  base::Array<Index> offsets;    // [class][beta string], and the end
  base::Array<Single> singles;   // includes the string itself (kSelf); ascending by target

 private:
  SinglesByClass(bool is_exact, base::Array<Column> classes, base::Array<Index> begins,
                 base::Array<Single> all)
      : exact(is_exact),
        class_of(std::move(classes)),
        offsets(std::move(begins)),
        singles(std::move(all)) {}
};

}  // namespace cisolve::ci
