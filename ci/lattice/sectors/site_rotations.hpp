#pragma once

#include <cstdint>
#include <vector>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "ci/lattice/sectors/symmetry_sector.hpp"

namespace cisolve::ci {

/// A permutation of places, with the operation that applies it alone and, if the group has flips,
/// the one that also flips all spins.
struct SitePermutation {
  std::vector<int> to;
  int plain = 0;
  int flipped = 0;
};

/// The distinct permutations of a group in the order of its operations. The spin flip is a
/// generator by itself, so each permutation occurs with and without it or no flips occur.
struct SitePermutations {
  explicit SitePermutations(const SymmetrySector& sector);
  std::vector<SitePermutation> all;
  bool flips = false;
};

/// Bits of a word that are rotated by the same distance.
struct BitRotation {
  BasisState to;  // destination mask
  std::uint8_t left;
  std::uint8_t right;     // 64 - left, modulo 64
  std::uint8_t reversed;  // applies to the bit-reversed word
  std::uint8_t is_last;   // whether it is the last rotation of its permutation
};

/// The permutations of a group as masked bit rotations, which need no tables; used in kernels.
struct SiteRotationsView {
  struct Least {
    BasisState word;
    int operation;
  };

  const BitRotation* rotations = nullptr;
  int count = 0;                    // number of rotations
  const int* operations = nullptr;  // for each permutation: operation without and with a flip
  bool flips = false;
  BasisState all = 0;  // mask of all places

  CISOLVE_HOST_DEVICE static BasisState backwards(BasisState word) {
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
    word = (word >> 8 & 0x00ff00ff00ff00ff) | (word & 0x00ff00ff00ff00ff) << 8;
    word = (word >> 16 & 0x0000ffff0000ffff) | (word & 0x0000ffff0000ffff) << 16;
    return word >> 32 | word << 32;
  }

  /// Calls visit(permutation, image) for each permutation until it returns false.
  template <class Visit>
  CISOLVE_HOST_DEVICE void for_each_image(BasisState word, Visit visit) const {
    const BasisState reversed_word = backwards(word);
    BasisState image = 0;
    int way = 0;
    for (int i = 0; i < count; ++i) {
      const BitRotation rotation = rotations[i];
      const BasisState from = rotation.reversed != 0 ? reversed_word : word;
      image |= (from << rotation.left | from >> rotation.right) & rotation.to;
      if (rotation.is_last == 0) continue;
      if (!visit(way++, image)) return;
      image = 0;
    }
  }

  /// The least word of the orbit and the first operation that maps `word` to it.
  CISOLVE_HOST_DEVICE Least least(BasisState word) const {
    BasisState found = ~BasisState{0};
    int place = 0;
    for_each_image(word, [&](int way, BasisState image) {
      const bool flipped = flips && (image ^ all) < image;
      const BasisState less = flipped ? image ^ all : image;
      if (less < found || way == 0) {
        found = less;
        place = 2 * way + (flipped ? 1 : 0);
      }
      return true;
    });
    return {found, operations[place]};
  }

  /// Whether `word` is the least of its orbit.
  CISOLVE_HOST_DEVICE bool is_representative(BasisState word) const {
    bool is_representative = true;
    for_each_image(word, [&](int, BasisState image) {
      is_representative = image >= word && (!flips || (image ^ all) >= word);
      return is_representative;
    });
    return is_representative;
  }
};

/// The arrays of this view in the memory of one backend.
class SiteRotations {
 public:
  SiteRotations(const SymmetrySector& sector, const base::Backend& backend);

  const SiteRotationsView& view() const { return view_; }
  base::Index bytes() const { return rotations_.bytes() + operations_.bytes(); }

 private:
  base::Array<BitRotation> rotations_;
  base::Array<int> operations_;
  SiteRotationsView view_;
};

}  // namespace cisolve::ci
