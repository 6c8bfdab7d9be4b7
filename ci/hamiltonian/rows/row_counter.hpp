#pragma once

#include "ci/hamiltonian/rows/row_look_up.hpp"

namespace cisolve::ci {

/// Counts the elements of a row from lengths of lists alone: valid if each alpha string has all
/// beta strings and no listed pair of singles has a zero integral.
template <class Group>
class RowCounter {
 public:
  CISOLVE_HOST_DEVICE static bool serves(const RowTablesView& tables) {
    return tables.has_all_betas && tables.products_exact;
  }

  CISOLVE_HOST_DEVICE RowCounter(const RowTablesView& tables, Index stored_row)
      : t_(tables), here_(tables, stored_row) {}

  CISOLVE_HOST_DEVICE Column count() const {
    const int mine = count(t_.alpha, here_.alpha(), [&](const Connection& to) {
      const Index list = t_.class_of[to.pair().pair()] * t_.betas + here_.beta();
      const auto size =
          static_cast<int>(t_.class_single_offsets[list + 1] - t_.class_single_offsets[list]);
      return here_.keeps(here_.alpha_single(to)) ? size : size - 1;
    });
    const int betas = count(t_.beta, here_.beta(), [&](const Connection& to) {
      return here_.keeps(here_.beta_single(to)) ? 1 : 0;
    });
    // Each of the two counts includes the diagonal.
    return Group::broadcast(Group::sum_through(mine + betas), Group::size - 1) - 1;
  }

 private:
  template <class OfSingle>
  CISOLVE_HOST_DEVICE int count(const RowTablesView::Connections& table, Index string,
                                OfSingle&& of_single) const {
    int found = 0;
    const Index end = table.offsets[string + 1];
    for (Index k = table.offsets[string] + Group::lane(); k < end; k += Group::size) {
      const Connection to = table.all[k];
      found += to.is_single() ? of_single(to) : 1;
    }
    return found;
  }

  const RowTablesView t_;
  RowLookUp here_;
};

}  // namespace cisolve::ci
