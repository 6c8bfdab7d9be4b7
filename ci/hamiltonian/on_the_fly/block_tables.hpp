#pragma once

#include <optional>
#include <vector>

#include "ci/hamiltonian/on_the_fly/excitation_slices.hpp"
#include "ci/hamiltonian/rows/row_tables.hpp"

namespace cisolve::ci {

/// A connection of two alpha strings, for all beta strings of a list: x of the target times a
/// value, which may depend on the beta electrons.
struct AlphaCoupling {
  Index first = 0;                     // row of the target
  const std::uint16_t* map = nullptr;  // positions in the target's list; null: the lists are equal
  const double* others = nullptr;      // sum_k (pq|kk) over electrons of each beta string, or null
  double value = 0;
  double sign = 1;
};

/// The Hamiltonian in blocks as a kernel sees it; a block is the rows of one alpha string. Beta
/// excitations from one list to another are the same for all pairs of alpha strings with these
/// lists: they are stored once, for each class of alpha pairs (SinglesByClass). Elements are not
/// stored.
struct BlocksView {
  static constexpr std::uint16_t kNowhere = 0xffff;

  RowTablesView t;  // canonical order, whatever the partition
  Index lists;
  Index classes;
  const Index* first_window;   // [list], and the end
  const Index* window_begins;  // within its list
  const Index* window_ends;
  const Column* link_of;      // lists x lists; -1: no alpha excitation from one to the other
  const Index* map_of;        // [link]; -1: the lists are equal
  const std::uint16_t* maps;  // position in the source list -> in the target list, or kNowhere
  const Index* products_of;   // links x classes: table of the first window; -1: unused
  ExcitationSlicesView products;
  ExcitationSlicesView own;  // [window]; values without the Coulomb terms of alpha electrons
  Index no_pair;             // marks a double excitation
  const Column* others_of;   // [alpha pair]: row of `others`; -1: all zero
  const double* others;      // rows x betas
  const double* from_alpha;  // alphas x beta pairs: Coulomb terms of alpha electrons; null: zero

  CISOLVE_HOST_DEVICE bool keeps(double value) const {
    return value > t.threshold || value < -t.threshold;
  }
  CISOLVE_HOST_DEVICE Column link(Index list, const Connection& to) const {
    return link_of[list * lists + t.list_of[to.target]];
  }

  /// Fills `coupling` for a connection other than the string itself; false if it has no elements
  /// with the same beta string.
  CISOLVE_HOST_DEVICE bool make_coupling(Index list, const Connection& to,
                                         AlphaCoupling& coupling) const {
    const Index map = map_of[link(list, to)];
    coupling = {.first = t.first_row[to.target],
                .map = map < 0 ? nullptr : maps + map,
                .others = nullptr,
                .value = to.value,
                .sign = 1};
    if (!to.is_single()) return true;
    const Index pair = to.pair().pair();
    coupling.sign = to.pair().sign();
    if (others_of[pair] >= 0) coupling.others = others + others_of[pair] * t.betas;
    return coupling.others != nullptr || keeps(to.value);
  }

  CISOLVE_HOST_DEVICE double element(const AlphaCoupling& coupling, Index beta) const {
    if (coupling.others == nullptr) return coupling.sign * coupling.value;
    const double value = coupling.value + coupling.others[beta];
    return keeps(value) ? coupling.sign * value : 0;
  }

  /// Table of beta excitations that go with an alpha single, for the first window of a list; -1:
  /// none.
  CISOLVE_HOST_DEVICE Index products_table(Index list, const Connection& to) const {
    return products_of[link(list, to) * classes + t.class_of[to.pair().pair()]];
  }

  /// Element of two determinants with the same alpha string; `added` is added_by() that string.
  CISOLVE_HOST_DEVICE double own_element(PackedExcitation move, double value,
                                         const double* added) const {
    if (move.pair() == no_pair) return value;
    if (added != nullptr) value += added[move.pair()];
    if (!keeps(value)) return 0;
    return move.is_odd() ? -value : value;
  }

  CISOLVE_HOST_DEVICE const double* added_by(Index alpha) const {
    return from_alpha == nullptr ? nullptr : from_alpha + alpha * t.beta_pairs;
  }

  /// Coulomb energy of the electrons of an alpha string with a beta electron in an orbital.
  CISOLVE_HOST_DEVICE double coulomb_of(Index alpha, int orbital) const {
    const std::uint8_t* p = t.occupied[0] + alpha * t.electrons[0];
    double sum = 0;
    for (int i = 0; i < t.electrons[0]; ++i) sum += t.coulomb[Index{p[i]} * t.orbitals + orbital];
    return sum;
  }

  /// `coulomb` is coulomb_of() the alpha string for each orbital.
  CISOLVE_HOST_DEVICE double diagonal(Index alpha, Index beta, const double* coulomb) const {
    double value = t.core_energy + t.alpha_energy[alpha] + t.beta_energy[beta];
    const std::uint8_t* q = t.occupied[1] + beta * t.electrons[1];
    for (int j = 0; j < t.electrons[1]; ++j) value += coulomb[q[j]];
    return value;
  }
};

/// The rows of an alpha string in one window of its list.
struct BlockItem {
  Column alpha;
  Column window;
};

class BlockBuilder;

/// Owns the tables of BlocksView, in the memory of one backend.
class BlockTables {
 public:
  /// None if they would be large, as when nearly every alpha string has a list of its own.
  static std::optional<BlockTables> of(const HamiltonianRows& h, const base::Backend& backend);
  /// Consumes the builder's tables.
  BlockTables(BlockBuilder& built, const base::Backend& backend);

  BlocksView view() const;
  const base::Backend& backend() const { return rows_.backend(); }
  /// Items of a product, descending by work; in the host's memory.
  const std::vector<BlockItem>& items() const { return items_; }
  /// Work of each item: elements computed and elements of x copied to shared memory.
  const std::vector<double>& works() const { return works_; }
  /// Removes the other items.
  void keep(const std::vector<bool>& is_retained);
  /// First row of an item.
  Index first_row_of(const BlockItem& item) const {
    return first_rows_[item.alpha] + begins_[item.window];
  }
  Index rows_of(const BlockItem& item) const { return window_sizes_[item.window]; }
  /// The longest list that its excitations lead to; 0 if x is not worth a copy.
  Index reach_of(const BlockItem& item) const { return reaches_[item.window]; }
  /// Length of its list.
  Index list_size_of(const BlockItem& item) const { return list_sizes_[item.window]; }
  Index bytes() const;

 private:
  ExcitationSlices products_;
  ExcitationSlices own_;
  std::vector<BlockItem> items_;
  std::vector<double> works_;
  std::vector<Index> first_rows_;  // [alpha string]
  std::vector<Index> begins_;      // [window], within its list
  std::vector<Index> window_sizes_;
  std::vector<Index> reaches_;
  std::vector<Index> list_sizes_;
  Index lists_;
  Index classes_;
  base::Array<Index> first_window_;
  base::Array<Index> window_begins_;
  base::Array<Index> window_ends_;
  base::Array<Column> link_of_;
  base::Array<Index> map_of_;
  base::Array<std::uint16_t> maps_;
  base::Array<Index> products_of_;
  base::Array<Column> others_of_;
  base::Array<double> others_;
  base::Array<double> from_alpha_;
  RowTables rows_;
};

}  // namespace cisolve::ci
