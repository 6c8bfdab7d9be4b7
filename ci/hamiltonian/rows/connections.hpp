#pragma once

#include <span>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// A pair of orbitals and the sign of the excitation between them.
struct SignedPair {
  Column code = 0;
  static SignedPair of(Index pair, bool odd) {
    return {static_cast<Column>(2 * pair + (odd ? 1 : 0))};
  }
  constexpr Index pair() const { return code >> 1; }
  constexpr double sign() const { return (code & 1) != 0 ? -1.0 : 1.0; }
};

/// A string reached by at most a double excitation.
struct Connection {
  static constexpr Column kSelf = -1;
  static constexpr Column kDouble = -2;
  Column target;
  Column code;   // kSelf, kDouble, or the SignedPair of a single
  double value;  // double: the element; single: the same-spin part (single_value), unsigned

  constexpr bool is_single() const { return code >= 0; }
  constexpr bool is_double() const { return code == kDouble; }
  constexpr SignedPair pair() const { return {code}; }
};

/// A single excitation without its value, for opposite-spin doubles.
struct Single {
  Column target;
  SignedPair pair;
};

/// The orbitals in which the strings of a set differ, numbered ascending; pairs of them index the
/// tables of integrals.
class VariableOrbitals {
 public:
  explicit VariableOrbitals(std::span<const String> strings);
  const std::vector<int>& orbitals() const { return orbitals_; }
  Index pairs() const { return pair_index(0, std::ssize(orbitals_)); }
  Index pair(int p, int q) const { return pair_index(number_[p], number_[q]); }

 private:
  std::vector<int> orbitals_;
  std::array<int, kMostOrbitals> number_{};
};

/// For each string of one spin: itself and all strings of the space that differ by one or two
/// orbitals, ascending. Doubles with |element| <= `threshold` are left out.
///
/// Two strings that differ by n orbitals share exactly one residue, the string with n electrons
/// fewer. Strings are sorted by residues, so that the work is proportional to the connections
/// found, for dense and for sparse sets.
class ConnectionTable {
 public:
  ConnectionTable(const Space& space, Spin spin, const Integrals& integrals, double threshold);

  const VariableOrbitals& variable() const { return variable_; }
  std::span<const Connection> of(Index string) const {
    return slice(connections_, offsets_, string);
  }
  std::span<const Single> singles(Index string) const {
    return slice(singles_, single_offsets_, string);
  }
  std::span<const Connection> all() const { return connections_.span(); }
  Index most_singles() const { return most_singles_; }

 private:
  friend class RowTables;
  template <class T>
  static std::span<const T> slice(const base::Array<T>& all, const base::Array<Index>& offsets,
                                  Index i) {
    return all.span().subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }

  VariableOrbitals variable_;
  base::Array<Index> offsets_;
  base::Array<Connection> connections_;
  base::Array<Index> single_offsets_;
  base::Array<Single> singles_;
  Index most_singles_ = 0;
};

}  // namespace cisolve::ci
