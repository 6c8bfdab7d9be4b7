#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"
#include "ci/spins/spin_model.hpp"

namespace cisolve::ci {

using base::Index;

/// All words of so many sites, or those with so many spins up, ascending.
class SpinWords {
 public:
  /// Throws Fault::configuration for more than can be numbered.
  SpinWords(int sites, std::optional<int> up);

  int sites() const { return sites_; }
  std::optional<int> up() const { return up_; }
  Index count() const { return count_; }

  SpinWord word(Index number) const;
  /// The one after a word; of the last one anything.
  SpinWord next(SpinWord word) const;
  /// Of a word that is among them.
  Index number(SpinWord word) const {
    if (!up_) return static_cast<Index>(word);
    Index sum = 0;
    int below = 0;
    for (int byte = 0; byte < bytes_; ++byte) {
      const auto bits = static_cast<std::size_t>(word >> (8 * byte) & 0xff);
      sum += shares_[(static_cast<std::size_t>(byte) * (kMostSpins + 1) + below) * 256 + bits];
      below += std::popcount(bits);
    }
    return sum;
  }

 private:
  int sites_;
  std::optional<int> up_;
  int bytes_;
  Index count_;
  /// The i-th spin up from below, at site p, has so many words below it: with i up among p sites.
  Index smaller(int p, int i) const { return smaller_[p * (kMostSpins + 1) + i]; }
  std::vector<Index> smaller_;
  /// What a byte of a word adds to its number, by how many are up below it.
  std::vector<Index> shares_;
};

/// How many words there are; none where that is beyond what can be numbered.
std::optional<Index> count_words(int sites, std::optional<int> up);

}  // namespace cisolve::ci
