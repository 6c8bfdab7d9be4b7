#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "base/types.hpp"
#include "ci/spins/spin_model.hpp"

namespace cisolve::ci {

using base::Index;

/// Bits that are set, by arithmetic that host and device share; compilers know it.
CISOLVE_HOST_DEVICE inline int count_bits(SpinWord word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>(word * 0x0101010101010101 >> 56);
}

/// How words are numbered, as a kernel sees it.
struct SpinWordsView {
  int sites;
  int up;  // below 0: any number of them
  const Index* smaller;
  const Index* shares;

  /// The i-th spin up from below, at site p, has so many words below it: with i up among p sites.
  CISOLVE_HOST_DEVICE Index below(int p, int i) const { return smaller[p * (kMostSpins + 1) + i]; }

  CISOLVE_HOST_DEVICE SpinWord word(Index number) const {
    if (up < 0) return static_cast<SpinWord>(number);
    SpinWord word = 0;
    int left = up;
    for (int p = sites - 1; left > 0; --p) {
      const Index without = below(p, left);
      if (number < without) continue;
      number -= without;
      word |= SpinWord{1} << p;
      --left;
    }
    return word;
  }

  CISOLVE_HOST_DEVICE SpinWord next(SpinWord word) const {
    if (up < 0) return word + 1;
    const SpinWord lowest = word & (~word + 1);
    const SpinWord carried = word + lowest;
    if (lowest == 0 || carried == 0) return 0;
    return carried | (word ^ carried) >> 2 >> count_bits(lowest - 1);
  }

  CISOLVE_HOST_DEVICE Index number(SpinWord word) const {
    if (up < 0) return static_cast<Index>(word);
    Index sum = 0;
    int before = 0;
    for (int byte = 0; 8 * byte < sites; ++byte) {
      const auto bits = static_cast<int>(word >> (8 * byte) & 0xff);
      sum += shares[(byte * (kMostSpins + 1) + before) * 256 + bits];
      before += count_bits(static_cast<SpinWord>(bits));
    }
    return sum;
  }
};

/// All words of so many sites, or those with so many spins up, ascending.
class SpinWords {
 public:
  /// Throws Fault::configuration for more than can be numbered.
  SpinWords(int sites, std::optional<int> up);

  int sites() const { return sites_; }
  std::optional<int> up() const { return up_; }
  Index count() const { return count_; }

  SpinWord word(Index number) const { return view().word(number); }
  /// The one after a word; of the last one anything.
  SpinWord next(SpinWord word) const { return view().next(word); }
  /// Of a word that is among them.
  Index number(SpinWord word) const { return view().number(word); }

  SpinWordsView view() const { return {sites_, up_.value_or(-1), smaller_.data(), shares_.data()}; }
  std::span<const Index> smaller() const { return smaller_; }
  std::span<const Index> shares() const { return shares_; }

 private:
  int sites_;
  std::optional<int> up_;
  Index count_;
  std::vector<Index> smaller_;
  /// What a byte of a word adds to its number, by how many are up below it.
  std::vector<Index> shares_;
};

/// How many words there are; none where that is beyond what can be numbered.
std::optional<Index> count_words(int sites, std::optional<int> up);

}  // namespace cisolve::ci
