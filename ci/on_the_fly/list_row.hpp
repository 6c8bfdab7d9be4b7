#pragma once

#include <bit>

#include "ci/hamiltonian/row_look_up.hpp"
#include "ci/on_the_fly/list_tables.hpp"

namespace cisolve::ci {

/// Bits of words on the host.
struct HostBits {
  static int count(std::uint64_t word) { return std::popcount(word); }
  static int first(std::uint64_t word) { return std::countr_zero(word); }
};

/// A connection of an alpha string, and where the rows of its target are.
struct ListTarget {
  Connection to;
  const ListWord* list;  // of the target's beta strings
  Index first;           // its first row

  CISOLVE_HOST_DEVICE static ListTarget of(const ListsView& l, Index connection) {
    const Connection to = l.t.alpha.all[connection];
    return {to, l.list(l.t.list_of[to.target]), l.t.first_row[to.target]};
  }
};

/// One row of the Hamiltonian by sets of bits: gives each element to sums.add(value, column). On
/// the host and on a device, where each thread has a row of its own. Whatever leads to memory that
/// may be far away is asked for several times before it is used.
template <class Bits, class Sums>
class ListRow {
 public:
  static constexpr int kTogether = 4;

  CISOLVE_HOST_DEVICE ListRow(const ListsView& lists, Index alpha, Index beta, Sums& sums)
      : l_(lists), t_(lists.t), here_(lists.t, alpha, beta), sums_(sums) {}

  /// Elements with so many targets.
  CISOLVE_HOST_DEVICE void add(const ListTarget* targets, int count) {
    for (int first = 0; first < count; first += kTogether)
      add_doubles(targets + first, count - first);
    for (int i = 0; i < count; ++i) {
      if (targets[i].to.is_single())
        add_single(targets[i]);
      else if (!targets[i].to.is_double())
        add_own(targets[i]);
    }
  }

 private:
  CISOLVE_HOST_DEVICE static std::uint64_t bit(Index beta) {
    return std::uint64_t{1} << (beta % 64);
  }
  CISOLVE_HOST_DEVICE static Index place_of(const ListWord& word, std::uint64_t bit) {
    return word.before + Bits::count(word.bits & (bit - 1));
  }

  /// With the same beta string, of some targets.
  CISOLVE_HOST_DEVICE void add_doubles(const ListTarget* targets, int count) {
    const Index beta = here_.beta();
    ListWord words[kTogether];
    CISOLVE_UNROLL
    for (int u = 0; u < kTogether; ++u)
      if (u < count && targets[u].to.is_double()) words[u] = targets[u].list[beta / 64];
    CISOLVE_UNROLL
    for (int u = 0; u < kTogether; ++u)
      if ((words[u].bits & bit(beta)) != 0)
        sums_.add(targets[u].to.value, targets[u].first + place_of(words[u], bit(beta)));
  }

  /// With the same beta string, and with its singles that have integrals.
  CISOLVE_HOST_DEVICE void add_single(const ListTarget& target) {
    const ListWord own = target.list[here_.beta() / 64];
    if ((own.bits & bit(here_.beta())) != 0) {
      const double value = here_.alpha_single(target.to);
      if (here_.keeps(value)) sums_.add(value, target.first + place_of(own, bit(here_.beta())));
    }
    const SignedPair pair = target.to.pair();
    const double* mixed = t_.mixed + pair.pair() * t_.beta_pairs;
    const Index shorts = t_.class_of[pair.pair()] * t_.betas + here_.beta();
    const Index end = t_.short_offsets[shorts + 1];
    for (Index k = t_.short_offsets[shorts]; k < end; k += kTogether) {
      Single with[kTogether];
      ListWord words[kTogether];
      CISOLVE_UNROLL
      for (int u = 0; u < kTogether; ++u) with[u] = k + u < end ? t_.shorts[k + u] : no_single();
      CISOLVE_UNROLL
      for (int u = 0; u < kTogether; ++u)
        if (with[u].pair.code != Connection::kSelf) words[u] = target.list[with[u].target / 64];
      CISOLVE_UNROLL
      for (int u = 0; u < kTogether; ++u) {
        const std::uint64_t one = bit(with[u].target);
        if ((words[u].bits & one) == 0) continue;
        const double value = mixed[with[u].pair.pair()];
        if (value == 0) continue;
        sums_.add(pair.sign() * with[u].pair.sign() * value,
                  target.first + place_of(words[u], one));
      }
    }
  }

  CISOLVE_HOST_DEVICE static Single no_single() { return {0, {Connection::kSelf}}; }

  /// With the same alpha string.
  CISOLVE_HOST_DEVICE void add_own(const ListTarget& target) {
    const ListWord* near = l_.neighbours + here_.beta() * l_.words;
    const Connection* connections = t_.beta.all + t_.beta.offsets[here_.beta()];
    for (Index first = 0; first < l_.words; first += kTogether) {
      ListWord words[kTogether];
      CISOLVE_UNROLL
      for (int u = 0; u < kTogether; ++u)
        if (first + u < l_.words) words[u] = near[first + u];
      CISOLVE_UNROLL
      for (int u = 0; u < kTogether; ++u) {
        if (words[u].bits == 0) continue;
        const ListWord there = target.list[first + u];
        for (std::uint64_t both = words[u].bits & there.bits; both != 0; both &= both - 1) {
          const std::uint64_t one = std::uint64_t{1} << Bits::first(both);
          add_own(connections[place_of(words[u], one)], target.first + place_of(there, one));
        }
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
