#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loops.hpp"
#include "ci/hamiltonian/remnants.hpp"
#include "ci/hamiltonian/slater_condon.hpp"
#include "ci/spaces/lines.hpp"

namespace cisolve::ci {

/// Two strings of one spin that differ by `moved` orbitals, and the inner product of their lines:
/// sum over the other spin's strings of bra(target, other) ket(string, other). With one electron
/// moved, `first` and `second` are the same.
struct StringOverlap {
  StringNumber string;
  StringNumber target;
  std::int8_t moved;
  Moved from;
  Moved to;
  double value;  // with the sign of the moves
};

/// The overlaps of a bra and a ket between strings of one spin.
class StringOverlaps {
 public:
  StringOverlaps(const Space& space, Spin spin, const double* bra, const double* ket)
      : space_(space),
        spin_(spin),
        lines_(space, spin),
        bra_room_(space.host(), 0, "a vector by its strings"),
        ket_room_(space.host(), 0, "a vector by its strings"),
        ket_(lines_.arranged(ket, ket_room_)),
        bra_(bra == ket ? ket_ : lines_.arranged(bra, bra_room_)),
        one_fewer_(space, spin, 1) {}

  /// Calls take(overlap) one after the other, always in the same order, for each string with itself
  /// and with those that differ by one orbital.
  template <class Take>
  void for_each_single(Take&& take) const {
    run([&](Index string, auto&& add) { add_singles(string, 0, add); }, take);
  }

  /// The same with two orbitals, but each pair of strings once: target >= string.
  template <class Take>
  void for_each_double(Take&& take) const {
    const Remnants two_fewer(space_, spin_, 2);
    run(
        [&](Index string, auto&& add) {
          add_singles(string, string, add);
          const String& start = space_.strings(spin_)[string];
          two_fewer.for_each_partner(string, [&](Index target, const Moved& from, const Moved& to) {
            if (target < string) return;
            const String between = start.without(from.first).with(to.first);
            const bool odd =
                is_odd(start, from.first, to.first) != is_odd(between, from.second, to.second);
            add(target, 2, odd, from, to);
          });
        },
        take);
  }

 private:
  static constexpr Index kGrain = 16;
  static constexpr Index kAtOnce = 4096;
  static constexpr std::string_view kWhat = "the overlaps of strings";

  template <class Add>
  void add_singles(Index string, Index least_target, Add&& add) const {
    add(string, 0, false, Moved{}, Moved{});
    one_fewer_.for_each_partner(string, [&](Index target, const Moved& from, const Moved& to) {
      if (target >= least_target)
        add(target, 1, is_odd(space_.strings(spin_)[string], from.first, to.first), from, to);
    });
  }

  /// Finds and multiplies in parallel, gives away in order.
  template <class Find, class Take>
  void run(Find&& find, Take&& take) const {
    const Index strings = std::ssize(space_.strings(spin_));
    const Index others =
        std::ssize(space_.strings(spin_ == Spin::alpha ? Spin::beta : Spin::alpha));
    for (Index begin = 0; begin < strings; begin += kAtOnce) {
      const Index count = std::min(kAtOnce, strings - begin);
      std::vector<base::Array<StringOverlap>> found;
      found.reserve(count);
      for (Index i = 0; i < count; ++i) found.emplace_back(space_.host(), 0, kWhat);
      base::for_each_chunk(count, kGrain, space_.host(), [&](Index first, Index last) {
        base::Array<double> line(space_.host(), others, "the line of a string");
        base::Array<StringOverlap> room(space_.host(), most_partners(), kWhat);
        std::ranges::fill(line.span(), 0.0);
        for (Index i = first; i < last; ++i) {
          const Index size = multiply(begin + i, line.data(), find, room.data());
          found[i] = base::Array<StringOverlap>::copy_of(std::as_const(room).span().first(size),
                                                         space_.host(), kWhat);
        }
      });
      for (const auto& overlaps : found)
        for (const StringOverlap& overlap : overlaps.span()) take(overlap);
    }
  }

  /// Of a string: itself and all that differ from it by one or two orbitals.
  Index most_partners() const {
    const Index electrons = space_.electrons(spin_);
    const Index empty = space_.orbitals() - electrons;
    const Index doubles = electrons * (electrons - 1) / 2 * (empty * (empty - 1) / 2);
    return std::min<Index>(1 + electrons * empty + doubles, std::ssize(space_.strings(spin_)));
  }

  /// Writes the overlaps of a string from `found` on; returns how many they are.
  template <class Find>
  Index multiply(Index string, double* line, Find&& find, StringOverlap* found) const {
    const auto own = lines_.others(string);
    const double* ket = ket_ + lines_.first(string);
    for (std::size_t i = 0; i < own.size(); ++i) line[own[i]] = ket[i];
    Index size = 0;
    find(string,
         [&](Index target, std::int8_t moved, bool odd, const Moved& from, const Moved& to) {
           const auto others = lines_.others(target);
           const double* bra = bra_ + lines_.first(target);
           double sum = 0;
           for (std::size_t i = 0; i < others.size(); ++i) sum += bra[i] * line[others[i]];
           if (sum != 0)
             found[size++] = {static_cast<StringNumber>(string),
                              static_cast<StringNumber>(target),
                              moved,
                              from,
                              to,
                              odd ? -sum : sum};
         });
    for (const StringNumber other : own) line[other] = 0;
    return size;
  }

  const Space& space_;
  Spin spin_;
  Lines lines_;
  base::Array<double> bra_room_;
  base::Array<double> ket_room_;
  const double* ket_;
  const double* bra_;
  Remnants one_fewer_;
};

}  // namespace cisolve::ci
