#pragma once

#include "ci/hamiltonian/connections.hpp"
#include "ci/hamiltonian/mixed_integrals.hpp"

namespace cisolve::ci {

/// Which singles of a beta string have integrals with an alpha single. Alpha pairs that have
/// integrals with the same beta pairs, as those of a symmetry have, are a class; each class has a
/// list of singles for each beta string.
struct ProductLists {
  /// Where the classes would take more than `most_growth` times the singles, there is one for all,
  /// with every single that has an integral with any of the pairs.
  ProductLists(const ConnectionTable& alpha, const ConnectionTable& beta,
               const MixedIntegrals& mixed, Index betas, const base::Backend& host,
               Index most_growth = 4);

  ProductLists to(const base::Backend& target) const {
    return {exact, class_of.to(target), offsets.to(target), singles.to(target)};
  }

  bool exact = true;             // no integral that a list asks for is 0
  base::Array<Column> class_of;  // of alpha pairs
  base::Array<Index> offsets;    // [class][beta string] and the end
  base::Array<Single> singles;   // and the string itself, kSelf, ascending by target

 private:
  ProductLists(bool is_exact, base::Array<Column> classes, base::Array<Index> begins,
               base::Array<Single> all)
      : exact(is_exact),
        class_of(std::move(classes)),
        offsets(std::move(begins)),
        singles(std::move(all)) {}
};

}  // namespace cisolve::ci
