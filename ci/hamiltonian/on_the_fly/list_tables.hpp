#pragma once

#include <bit>
#include <optional>

#include "ci/hamiltonian/rows/row_look_up.hpp"

namespace cisolve::ci {

/// 64 beta strings of a bit set with rank: membership bits, and the members before them.
struct alignas(16) ListWord {
  std::uint64_t bits = 0;
  std::int64_t before = 0;
};

/// Lists of beta strings as bit sets with rank: membership and position of a string in constant
/// time. For spaces in which most alpha strings have a list of their own.
struct ListsView {
  RowTablesView t;  // canonical order, whatever the partition
  Index words;      // words per bit set
  const ListWord* lists;
  const ListWord* neighbours;  // [beta string]: the set of its connections

  CISOLVE_HOST_DEVICE const ListWord* list(Index number) const { return lists + number * words; }
};

/// Owns the tables of ListsView, in the memory of one backend.
class ListTables {
 public:
  /// None if bit sets would need too much memory, or lists are too short for groups of threads.
  static std::optional<ListTables> of(const HamiltonianRows& h, const base::Backend& backend);

  ListsView view() const;
  const base::Backend& backend() const { return rows_.backend(); }
  Index bytes() const { return rows_.bytes() + lists_.bytes() + neighbours_.bytes(); }

 private:
  ListTables(const HamiltonianRows& h, const base::Backend& backend);

  RowTables rows_;
  base::Array<ListWord> lists_;
  base::Array<ListWord> neighbours_;
};

/// Bit operations on the host.
struct HostBits {
  static int count(std::uint64_t word) { return std::popcount(word); }
  static int first(std::uint64_t word) { return std::countr_zero(word); }
};

/// One row of the Hamiltonian by bit sets: calls sums.add(value, column) for each element. Runs on
/// the host and, one row per thread, on a device.
template <class Bits, class Sums>
class ListRow {
 public:
  CISOLVE_HOST_DEVICE ListRow(const ListsView& lists, Index alpha, Index beta, Sums& sums)
      : l_(lists), t_(lists.t), here_(lists.t, alpha, beta), sums_(sums) {}

  CISOLVE_HOST_DEVICE void walk() {
    const Index end = t_.alpha.offsets[here_.alpha() + 1];
    for (Index k = t_.alpha.offsets[here_.alpha()]; k < end; ++k) {
      const Connection to = t_.alpha.all[k];
      const ListWord* list = l_.list(t_.list_of[to.target]);
      const Index first = t_.first_row[to.target];
      if (to.is_single())
        add_single(to, list, first);
      else if (!to.is_double())
        add_own(list, first);
      else if (const Index place = place_in(list, here_.beta()); place >= 0)
        sums_.add(to.value, first + place);
    }
  }

 private:
  CISOLVE_HOST_DEVICE static std::uint64_t bit(Index beta) {
    return std::uint64_t{1} << (beta % 64);
  }
  CISOLVE_HOST_DEVICE static Index place_of(const ListWord& word, std::uint64_t bit) {
    return word.before + Bits::count(word.bits & (bit - 1));
  }
  CISOLVE_HOST_DEVICE static Index place_in(const ListWord* list, Index beta) {
    const ListWord word = list[beta / 64];
    return (word.bits & bit(beta)) == 0 ? -1 : place_of(word, bit(beta));
  }

  CISOLVE_HOST_DEVICE void add_single(const Connection& to, const ListWord* list, Index first) {
    const SignedPair pair = to.pair();
    const Index shorts = t_.class_of[pair.pair()] * t_.betas + here_.beta();
    const double* mixed = t_.mixed + pair.pair() * t_.beta_pairs;
    const Index end = t_.class_single_offsets[shorts + 1];
    for (Index k = t_.class_single_offsets[shorts]; k < end; ++k) {
      const Single with = t_.class_singles[k];
      const Index place = place_in(list, with.target);
      if (place < 0) continue;
      if (with.pair.code == Connection::kSelf) {
        const double value = here_.alpha_single(to);
        if (here_.keeps(value)) sums_.add(value, first + place);
      } else {
        const double value = mixed[with.pair.pair()];
        if (value != 0) sums_.add(pair.sign() * with.pair.sign() * value, first + place);
      }
    }
  }

  /// Elements with the same alpha string.
  CISOLVE_HOST_DEVICE void add_own(const ListWord* list, Index first) {
    const ListWord* near = l_.neighbours + here_.beta() * l_.words;
    const Connection* connections = t_.beta.all + t_.beta.offsets[here_.beta()];
    for (Index w = 0; w < l_.words; ++w) {
      const ListWord word = near[w];
      for (std::uint64_t both = word.bits & list[w].bits; both != 0; both &= both - 1) {
        const std::uint64_t one = std::uint64_t{1} << Bits::first(both);
        add_own(connections[place_of(word, one)], first + place_of(list[w], one));
      }
    }
  }

  CISOLVE_HOST_DEVICE void add_own(const Connection& to, Index column) {
    if (to.is_double()) return sums_.add(to.value, column);
    if (!to.is_single()) return sums_.add(here_.diagonal(), column);
    const double value = here_.beta_single(to);
    if (here_.keeps(value)) sums_.add(value, column);
  }

  const ListsView& l_;
  const RowTablesView& t_;
  const RowLookUp here_;
  Sums& sums_;
};

}  // namespace cisolve::ci
