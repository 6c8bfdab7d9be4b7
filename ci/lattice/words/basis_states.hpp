#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "base/types.hpp"
#include "ci/lattice/words/site_model.hpp"

namespace cisolve::ci {

using base::Index;

/// Numbers of spins up or of electrons, which define the set of words.
struct ParticleNumbers {
  int sites = 0;
  std::optional<int> up =
      std::nullopt;  // spins: number up, if conserved; electrons: number of spin up
  std::optional<int> down = std::nullopt;  // electrons only
  bool allows_double_occupancy = true;     // whether two electrons may occupy one site

  bool holds_electrons() const { return down.has_value(); }
  int places() const { return holds_electrons() ? 2 * sites : sites; }
  /// Number of spins 1/2; each electron has one.
  int spins() const { return holds_electrons() ? *up + *down : sites; }
  /// 2 Ms, if conserved.
  int ms2() const { return holds_electrons() ? *up - *down : 2 * up.value() - sites; }
};

/// The model of `terms` for these spins or electrons.
SiteModel model_of(const ParticleNumbers& filling, std::span<const Term> terms);

/// Numbering of words, usable in kernels: combinatorial number system (colexicographic rank).
struct BasisStatesView {
  int sites;
  int up;     // below 0: any number
  int down;   // electrons; below 0: spins
  Index ups;  // lower halves (spin up) per upper half
  bool allows_double_occupancy;
  const Index* smaller;
  const Index* byte_offsets;

  /// C(p, i): words with i bits below p, the contribution to the rank of the i-th set bit (from 1)
  /// at p.
  CISOLVE_HOST_DEVICE Index below(int p, int i) const { return smaller[p * (kMostSpins + 1) + i]; }

  CISOLVE_HOST_DEVICE BasisState word(Index number) const {
    if (down < 0) return up < 0 ? static_cast<BasisState>(number) : choice(number, up, sites);
    const BasisState upper = choice(number / ups, down, sites);
    const BasisState lower = choice(number % ups, up, free_sites());
    return upper << sites | spread(lower, upper);
  }

  CISOLVE_HOST_DEVICE BasisState next(BasisState word) const {
    if (down < 0) return up < 0 ? word + 1 : next_choice(word);
    BasisState upper = word >> sites;
    BasisState lower = gathered(word & ((BasisState{1} << sites) - 1), upper);
    const BasisState first = (BasisState{1} << up) - 1;
    if (lower == first << (free_sites() - up)) {
      lower = first;
      upper = next_choice(upper);
    } else {
      lower = next_choice(lower);
    }
    return upper << sites | spread(lower, upper);
  }

  /// The rank of a word; spins only.
  CISOLVE_HOST_DEVICE Index number(BasisState word) const {
    if (up < 0) return static_cast<Index>(word);
    Index sum = 0;
    int before = 0;
    for (int byte = 0; 8 * byte < sites; ++byte) {
      const auto bits = static_cast<int>(word >> (8 * byte) & 0xff);
      sum += byte_offsets[(byte * (kMostSpins + 1) + before) * 256 + bits];
      before += count_bits(static_cast<BasisState>(bits));
    }
    return sum;
  }

 private:
  /// Sites available to the lower half.
  CISOLVE_HOST_DEVICE int free_sites() const {
    return allows_double_occupancy ? sites : sites - down;
  }

  /// The word of this rank among those with `bits` bits in the first sites.
  CISOLVE_HOST_DEVICE BasisState choice(Index number, int bits, int first_sites) const {
    BasisState word = 0;
    for (int p = first_sites - 1; bits > 0; --p) {
      const Index without = below(p, bits);
      if (number < without) continue;
      number -= without;
      word |= BasisState{1} << p;
      --bits;
    }
    return word;
  }

  CISOLVE_HOST_DEVICE static BasisState next_choice(BasisState word) {
    const BasisState lowest = word & (~word + 1);
    const BasisState carried = word + lowest;
    if (lowest == 0 || carried == 0) return 0;
    return carried | (word ^ carried) >> 2 >> count_bits(lowest - 1);
  }

  /// Deposits bits into the sites not in `taken`.
  CISOLVE_HOST_DEVICE BasisState spread(BasisState bits, BasisState taken) const {
    if (allows_double_occupancy) return bits;
    BasisState word = 0;
    for (int p = 0; p < sites; ++p) {
      if ((taken >> p & 1) != 0) continue;
      word |= (bits & 1) << p;
      bits >>= 1;
    }
    return word;
  }

  CISOLVE_HOST_DEVICE BasisState gathered(BasisState word, BasisState taken) const {
    if (allows_double_occupancy) return word;
    BasisState bits = 0;
    int free = 0;
    for (int p = 0; p < sites; ++p)
      if ((taken >> p & 1) == 0) bits |= (word >> p & 1) << free++;
    return bits;
  }
};

/// All words with these particle numbers, ascending.
class BasisStates {
 public:
  /// Throws ErrorKind::configuration for impossible numbers, ErrorKind::resources for too many
  /// words to number.
  explicit BasisStates(const ParticleNumbers& filling);
  BasisStates(int sites, std::optional<int> up) : BasisStates(ParticleNumbers{sites, up}) {}

  const ParticleNumbers& filling() const { return filling_; }
  int places() const { return filling_.places(); }
  Index count() const { return count_; }

  BasisState word(Index number) const { return view().word(number); }
  /// The next word; unspecified for the last one.
  BasisState next(BasisState word) const { return view().next(word); }
  /// The rank of a word; spins only, and the word must be in the set.
  Index number(BasisState word) const { return view().number(word); }

  BasisStatesView view() const;
  std::span<const Index> smaller() const { return smaller_; }
  std::span<const Index> byte_offsets() const { return byte_offsets_; }

 private:
  void number_by_bytes();

  ParticleNumbers filling_;
  Index count_;
  Index ups_ = 1;
  std::vector<Index> smaller_;
  /// Rank contribution of each value of each byte, by the number of set bits below it.
  std::vector<Index> byte_offsets_;
};

/// The number of words; nullopt if it cannot be numbered.
std::optional<Index> count_words(const ParticleNumbers& filling);

}  // namespace cisolve::ci
