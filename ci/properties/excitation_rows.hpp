#pragma once

#include <cstdint>
#include <vector>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// Numbers the excitations E_pq = sum over spins of a+_p a_q, and products of two of them.
///
/// Places of pairs descend in the unordered pair {p, q}, so that pairs that are not below a given
/// one come first. Rows are those of a matrix over determinants: the state itself, E_y|x> for all
/// places y, and E_x E_y|x> for places y <= x.
class ExcitationRows {
 public:
  explicit ExcitationRows(int orbitals);

  int orbitals() const { return orbitals_; }
  Index pairs() const { return Index{orbitals_} * orbitals_; }
  Index rows() const { return row_of(pairs(), 0); }

  struct Pair {
    int to;    // p of E_pq
    int from;  // q
  };
  Pair pair(Index place) const { return pairs_[place]; }
  Index place(int to, int from) const { return places_[Index{to} * orbitals_ + from]; }

  Index row_of(Index place) const { return 1 + place; }
  Index row_of(Index x, Index y) const { return 1 + pairs() + x * (x + 1) / 2 + y; }

  /// Pairs p >= q, ascending by place: the columns of densities.
  const std::vector<Index>& lower() const { return lower_; }
  Index column(int to, int from) const { return columns_[Index{to} * orbitals_ + from]; }
  /// Rows of products of pairs not below that of a column; ascending.
  Index rows_of_column(Index column) const;

 private:
  int orbitals_;
  std::vector<Pair> pairs_;     // [place]
  std::vector<Index> places_;   // [p][q]
  std::vector<Index> lower_;    // [column]
  std::vector<Index> columns_;  // [p][q], p >= q
};

/// For each string s of one spin and place of a pair pq: the string t with <s|a+_p a_q|t> = 1 or
/// -1, as t + 1 with that sign, or 0. Only for strings of full CI.
std::vector<StringNumber> sources_of(const Space& space, Spin spin, const ExcitationRows& rows);

}  // namespace cisolve::ci
