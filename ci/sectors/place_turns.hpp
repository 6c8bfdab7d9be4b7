#pragma once

#include <cstdint>
#include <vector>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "ci/sectors/spin_sector.hpp"

namespace cisolve::ci {

/// A way in which operations of a group move places: the operations without a flip and, where there
/// are any, with one that do.
struct PlaceWay {
  std::vector<int> to;
  int plain = 0;
  int flipped = 0;
};

/// The ways of a group, in the order of its operations. A flip is asked for by itself, so that each
/// way comes with it or none does.
struct PlaceWays {
  explicit PlaceWays(const SpinSector& sector);
  std::vector<PlaceWay> all;
  bool flips = false;
};

/// Bits of a word that go as many places to the left together, round its end.
struct BitTurn {
  SpinWord to;  // where they come
  std::uint8_t left;
  std::uint8_t right;     // 64 - left, within a word
  std::uint8_t reversed;  // of the word read backwards
  std::uint8_t is_last;   // of its way
};

/// The ways of a group as turns of bits, which need no tables: what a kernel moves words by.
struct PlaceTurnsView {
  struct Least {
    SpinWord word;
    int operation;
  };

  const BitTurn* turns = nullptr;
  int count = 0;                    // of turns
  const int* operations = nullptr;  // of each way the one without a flip, and the one with it
  bool flips = false;
  SpinWord all = 0;  // bits of all places

  CISOLVE_HOST_DEVICE static SpinWord backwards(SpinWord word) {
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
    word = (word >> 8 & 0x00ff00ff00ff00ff) | (word & 0x00ff00ff00ff00ff) << 8;
    word = (word >> 16 & 0x0000ffff0000ffff) | (word & 0x0000ffff0000ffff) << 16;
    return word >> 32 | word << 32;
  }

  /// Calls visit(way, image) for each way until that returns false.
  template <class Visit>
  CISOLVE_HOST_DEVICE void for_each_image(SpinWord word, Visit visit) const {
    const SpinWord turned_back = backwards(word);
    SpinWord image = 0;
    int way = 0;
    for (int i = 0; i < count; ++i) {
      const BitTurn turn = turns[i];
      const SpinWord from = turn.reversed != 0 ? turned_back : word;
      image |= (from << turn.left | from >> turn.right) & turn.to;
      if (turn.is_last == 0) continue;
      if (!visit(way++, image)) return;
      image = 0;
    }
  }

  /// The least word of an orbit, and the first operation that leads to it.
  CISOLVE_HOST_DEVICE Least least(SpinWord word) const {
    SpinWord found = ~SpinWord{0};
    int place = 0;
    for_each_image(word, [&](int way, SpinWord image) {
      const bool flipped = flips && (image ^ all) < image;
      const SpinWord less = flipped ? image ^ all : image;
      if (less < found || way == 0) {
        found = less;
        place = 2 * way + (flipped ? 1 : 0);
      }
      return true;
    });
    return {found, operations[place]};
  }

  /// Whether no operation leads to a smaller word.
  CISOLVE_HOST_DEVICE bool is_least(SpinWord word) const {
    bool is_least = true;
    for_each_image(word, [&](int, SpinWord image) {
      is_least = image >= word && (!flips || (image ^ all) >= word);
      return is_least;
    });
    return is_least;
  }
};

/// The arrays behind such a view, in the memory of one backend.
class PlaceTurns {
 public:
  PlaceTurns(const SpinSector& sector, const base::Backend& backend);

  const PlaceTurnsView& view() const { return view_; }
  base::Index bytes() const { return turns_.bytes() + operations_.bytes(); }

 private:
  base::Array<BitTurn> turns_;
  base::Array<int> operations_;
  PlaceTurnsView view_;
};

}  // namespace cisolve::ci
