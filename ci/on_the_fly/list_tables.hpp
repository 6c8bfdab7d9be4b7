#pragma once

#include <cstdint>
#include <optional>

#include "ci/hamiltonian/row_tables.hpp"

namespace cisolve::ci {

/// 64 beta strings: which of them are in a set, and how many of it stand before them.
struct alignas(16) ListWord {
  std::uint64_t bits = 0;
  std::int64_t before = 0;
};

/// Lists of beta strings as sets of bits, so that a look tells whether a string is in a list, and
/// where. For spaces of which most alpha strings have a list of their own.
struct ListsView {
  RowTablesView t;  // in canonical order, whatever the partition
  Index words;      // of a set
  const ListWord* lists;
  const ListWord* neighbours;  // of beta strings: those that they are connected with

  CISOLVE_HOST_DEVICE const ListWord* list(Index number) const { return lists + number * words; }
};

/// The tables behind it, in the memory of one backend.
class ListTables {
 public:
  /// None where sets of bits would be large beside the lists, or these are short.
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

}  // namespace cisolve::ci
