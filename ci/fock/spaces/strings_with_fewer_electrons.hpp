#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// One or two orbitals, ascending; a single one is repeated in `second`.
struct MovedOrbitals {
  std::uint8_t first;
  std::uint8_t second;
};

/// The strings of a space with one or two electrons removed, which are called residues. They are
/// sorted, so that strings that share a residue are contiguous. Keys are hashes (XOR of random
/// orbital keys, as in Zobrist hashing), so that their leading bits divide them into buckets of
/// about equal size.
class StringsWithFewerElectrons {
 public:
  StringsWithFewerElectrons(const Space& space, Spin spin, int removed);

  /// Estimated bytes for `strings` strings of `in_each` electrons with `removed` of them removed.
  static double bytes(double strings, double in_each, int removed) {
    constexpr double kOfBuckets = 0.5;  // bytes of bucket offsets for each entry
    return strings * (removed == 1 ? in_each : in_each * (in_each - 1) / 2) *
           (sizeof(Entry) + kOfBuckets);
  }

  struct Entry {
    std::uint64_t key;  // XOR of the keys of the residue's orbitals
    Column string;
    MovedOrbitals taken;
  };

  /// Calls visit(entries) for each residue, with the strings that share it.
  template <class Visit>
  void for_each_group(Visit&& visit) const {
    const auto all = entries_.span();
    for (auto begin = all.begin(); begin != all.end();) {
      const auto other = [&](const Entry& entry) { return entry.key != begin->key; };
      const auto end = std::find_if(begin, all.end(), other);
      visit(std::span<const Entry>(begin, end));
      begin = end;
    }
  }

  /// Calls visit(target, from, to) once for each string that differs from `string` by exactly as
  /// many orbitals as electrons are removed.
  template <class Visit>
  void for_each_partner(Index string, Visit&& visit) const {
    for_each_partner(
        string, [](const MovedOrbitals& /*from*/) { return true; }, visit);
  }
  /// Visits only the partners with may_move(from).
  template <class MayMove, class Visit>
  void for_each_partner(Index string, MayMove&& may_move, Visit&& visit) const {
    for_each_choice(string, [&](const MovedOrbitals& from, std::uint64_t key) {
      if (!may_move(from)) return;
      const Index begin = begins_[bucket_of(key)];
      const auto bucket = entries_.span().subspan(begin, begins_[bucket_of(key) + 1] - begin);
      const auto group = std::ranges::equal_range(bucket, key, {}, &Entry::key);
      for (const Entry& entry : group)
        if (are_disjoint(from, entry.taken)) visit(Index{entry.string}, from, entry.taken);
    });
  }

 private:
  template <class Take>
  void for_each_choice(Index string, Take&& take) const {
    const auto occupied = space_.occupied(spin_, string);
    const std::uint64_t whole = key_of(occupied);
    if (removed_ == 1) {
      for (const std::uint8_t p : occupied) take(MovedOrbitals{p, p}, whole ^ orbital_key_[p]);
      return;
    }
    for (std::size_t j = 0; j < occupied.size(); ++j)
      for (std::size_t i = 0; i < j; ++i)
        take(MovedOrbitals{occupied[i], occupied[j]},
             whole ^ orbital_key_[occupied[i]] ^ orbital_key_[occupied[j]]);
  }

  std::uint64_t key_of(std::span<const std::uint8_t> occupied) const {
    std::uint64_t key = 0;
    for (const std::uint8_t p : occupied) key ^= orbital_key_[p];
    return key;
  }

  static bool are_disjoint(const MovedOrbitals& a, const MovedOrbitals& b) {
    return a.first != b.first && a.first != b.second && a.second != b.first && a.second != b.second;
  }

  Index bucket_of(std::uint64_t key) const { return static_cast<Index>(key >> shift_); }
  void fill();
  bool sort();

  static constexpr auto kMemoryLabel = "the search for connections";

  const Space& space_;
  Spin spin_;
  int removed_;
  std::array<std::uint64_t, kMostOrbitals> orbital_key_{};
  int shift_ = 63;
  base::Array<Entry> entries_;
  base::Array<Index> begins_;  // [bucket], and the end
};

}  // namespace cisolve::ci
