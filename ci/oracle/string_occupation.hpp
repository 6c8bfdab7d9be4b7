#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "ci/fock/strings/string.hpp"
#include "ci/oracle/oracle_integrals.hpp"

namespace cisolve::ci {

/// The occupied and empty orbitals of one string. This file holds the oracle's matrix elements and
/// signs.
struct StringOccupation {
  StringOccupation(Spin its_spin, const String& its_string, int orbitals);

  Spin spin;
  String string;
  std::vector<int> occupied;
  std::vector<int> empty;
};

/// Whether an odd number of electrons is in orbitals below p.
inline bool odd_before(const String& string, int p) {
  const auto& words = string.words();
  int sum = std::popcount(words[p / 64] & ((std::uint64_t{1} << (p % 64)) - 1));
  for (int w = 0; w < p / 64; ++w) sum += std::popcount(words[w]);
  return sum % 2 != 0;
}

/// Whether a+_to a_from changes the sign.
inline bool odd_move(const String& string, int from, int to) {
  const bool odd = odd_before(string, from) != odd_before(string, to);
  return from < to ? !odd : odd;  // the annihilated electron no longer counts
}

inline double signed_value(bool odd, double value) { return odd ? -value : value; }

/// One-electron energy and same-spin repulsion of a string.
double energy_of(const OracleIntegrals& integrals, Spin spin, const String& string);

/// h_pq plus Coulomb minus exchange with the electrons of the same spin: part of the element of p
/// -> q.
double own_part(const OracleIntegrals& integrals, Spin spin, const String& string, int p, int q);

/// Coulomb part of that element from the electrons of the other spin.
double other_part(const OracleIntegrals& integrals, Spin spin, int p, int q,
                  const String& other_string);

/// The two lowest orbitals of a string with at least two (of one: {p, 0}).
inline std::array<int, 2> first_two(const String& string) {
  std::array<int, 2> two{};
  std::size_t next = 0;
  string.for_each([&](int p) {
    if (next < two.size()) two[next++] = p;
  });
  return two;
}

/// The element between strings of one spin that differ by a double excitation.
inline double double_between(const OracleIntegrals& integrals, Spin spin, const String& from,
                             const String& to) {
  const auto [p, r] = first_two(from - to);
  const auto [q, s] = first_two(to - from);
  const bool odd = odd_move(from, p, q) != odd_move(from.without(p).with(q), r, s);
  return signed_value(
      odd, integrals.two(spin, p, q, spin, r, s) - integrals.two(spin, p, s, spin, r, q));
}

/// The excitation level between two strings.
inline int distance(const String& a, const String& b) { return (a - b).count(); }

/// Calls visit(from, to, string, odd) for each single excitation.
template <class Visit>
void for_each_single(const StringOccupation& side, Visit&& visit) {
  for (const int p : side.occupied)
    for (const int q : side.empty)
      visit(p, q, side.string.without(p).with(q), odd_move(side.string, p, q));
}

/// Calls visit(string, value) for each double excitation.
template <class Visit>
void for_each_double(const OracleIntegrals& integrals, const StringOccupation& side,
                     Visit&& visit) {
  const Spin spin = side.spin;
  for_each_single(side, [&](int p, int q, const String& moved, bool first) {
    for (const int r : side.occupied)
      for (const int s : side.empty) {
        if (r <= p || s <= q) continue;
        const double value =
            integrals.two(spin, p, q, spin, r, s) - integrals.two(spin, p, s, spin, r, q);
        visit(moved.without(r).with(s), signed_value(first != odd_move(moved, r, s), value));
      }
  });
}

}  // namespace cisolve::ci
