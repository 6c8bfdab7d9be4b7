#pragma once

#include <vector>

#include "ci/oracle/excitation_screen.hpp"
#include "ci/oracle/string_finder.hpp"
#include "ci/oracle/string_occupation.hpp"

namespace cisolve::ci {

/// Calls visit(from, to, target, odd) for each single excitation accepted by `asks(from, to)` whose
/// target string exists.
template <class Accepts, class Visit>
void for_each_found_single(const StringFinder& strings, const StringOccupation& side,
                           Accepts&& accepts, Visit&& visit) {
  const std::uint64_t key = strings.key_of(side.string);
  for (const int p : side.occupied)
    for (const int q : side.empty) {
      if (!accepts(p, q)) continue;
      const StringNumber target =
          strings.find(key ^ strings.key_of(p) ^ strings.key_of(q), side.string.without(p).with(q));
      if (target >= 0) visit(p, q, target, odd_move(side.string, p, q));
    }
}

/// Same-spin double excitations from one string after the other.
class SameSpinDoubles {
 public:
  SameSpinDoubles(const ExcitationScreen& screen, const OracleIntegrals& integrals);

  /// Upper bound on their number.
  Index count(const StringOccupation& side) const;

  /// Calls visit(target, value) for each allowed double excitation whose target string exists.
  template <class Visit>
  void for_each(const StringFinder& strings, const StringOccupation& side, Visit&& visit) {
    mark_reachable(side);
    const std::uint64_t key = strings.key_of(side.string);
    for (std::size_t i = 1; i < side.occupied.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const int p = side.occupied[j];
        const int r = side.occupied[i];
        const std::uint64_t from = key ^ strings.key_of(p) ^ strings.key_of(r);
        const String rest = side.string.without(p).without(r);
        const std::uint64_t* allowed =
            screen_.doubles_from(side.spin, ExcitationScreen::pair(p, r));
        for (Index w = 0; w < screen_.words(); ++w)
          for (std::uint64_t word = allowed[w] & reachable_[w]; word != 0; word &= word - 1) {
            const auto [q, s] = orbitals_[64 * w + std::countr_zero(word)];
            const StringNumber target =
                strings.find(from ^ strings.key_of(q) ^ strings.key_of(s), rest.with(q).with(s));
            if (target < 0) continue;
            const double value = integrals_.two(side.spin, p, q, side.spin, r, s) -
                                 integrals_.two(side.spin, p, s, side.spin, r, q);
            // Parity: electrons between the two annihilated, and between the places of the two
            // created.
            const bool odd = ((i - j) % 2 == 0) != (odd_before(rest, q) != odd_before(rest, s));
            visit(target, signed_value(odd, value));
          }
      }
  }

 private:
  struct Orbitals {
    std::uint8_t lower;
    std::uint8_t higher;
  };
  void mark_reachable(const StringOccupation& side);

  const ExcitationScreen& screen_;
  OracleIntegrals integrals_;
  std::vector<Orbitals> orbitals_;        // orbitals of each pair
  std::vector<std::uint64_t> reachable_;  // pairs of empty orbitals of the string
};

}  // namespace cisolve::ci
