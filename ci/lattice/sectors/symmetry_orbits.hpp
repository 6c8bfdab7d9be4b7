#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/array.hpp"
#include "ci/lattice/sectors/fermion_signs.hpp"
#include "ci/lattice/sectors/site_rotations.hpp"
#include "ci/lattice/words/basis_states.hpp"

namespace cisolve::ci {

/// Orbits of words under a sector's group. For each value of each byte of a word a table holds the
/// images under all permutations, contiguous, so that an image is an OR over bytes.
class SymmetryOrbits {
 public:
  SymmetryOrbits(const SymmetrySector& sector, const base::Backend& host);

  /// The least word of the orbit and an operation that maps `word` to it.
  struct Least {
    BasisState word;
    int operation;
  };
  Least least(BasisState word) const {
    BasisState found = word;
    Index block = 0;
    for (Index first = 0; first < padded_; first += kBlock) {
      const Images images = images_of(word, first);
      BasisState smallest = images[0];
      for (int i = 0; i < kBlock; ++i) {
        smallest = std::min(smallest, images[i]);
        if (group_.flips) smallest = std::min(smallest, images[i] ^ all_);
      }
      if (smallest >= found) continue;
      found = smallest;
      block = first;
    }
    return {found, operation_to(found, word, block)};
  }

  /// Whether the fermion sign of an operation on `word` is -1.
  bool changes_sign(int operation, BasisState word) const {
    return signs_.view().changes(operation, word);
  }

  /// Calls visit(operation) for each operation of the stabiliser of `word`, identity included.
  /// Stops and returns false if an operation gives a smaller word.
  template <class Visit>
  bool visit_stabiliser(BasisState word, Visit visit) const {
    for (Index first = 0; first < padded_; first += kBlock) {
      const Images images = images_of(word, first);
      const Index count = std::min<Index>(kBlock, std::ssize(group_.all) - first);
      for (Index i = 0; i < count; ++i) {
        const SitePermutation& way = group_.all[first + i];
        if (images[i] < word || (group_.flips && (images[i] ^ all_) < word)) return false;
        if (images[i] == word) visit(way.plain);
        if (group_.flips && (images[i] ^ all_) == word) visit(way.flipped);
      }
    }
    return true;
  }

 private:
  static constexpr int kBlock = 16;
  using Images = std::array<BasisState, kBlock>;

  Images images_of(BasisState word, Index first) const {
    Images images{};
    for (int byte = 0; byte < bytes_; ++byte) {
      const auto value = static_cast<Index>(word >> (8 * byte) & 0xff);
      const BasisState* row = tables_.data() + (Index{256} * byte + value) * padded_ + first;
      for (int i = 0; i < kBlock; ++i) images[i] |= row[i];
    }
    return images;
  }

  int operation_to(BasisState least, BasisState word, Index first) const {
    const Images images = images_of(word, first);
    for (int i = 0; i < kBlock; ++i) {
      const SitePermutation& way =
          group_.all[std::min<Index>(first + i, std::ssize(group_.all) - 1)];
      if (images[i] == least) return way.plain;
      if (group_.flips && (images[i] ^ all_) == least) return way.flipped;
    }
    return 0;
  }

  SitePermutations group_;
  FermionSigns signs_;
  int bytes_;
  BasisState all_;
  Index padded_;  // permutations, padded to full blocks with the last one
  base::Array<BasisState> tables_;
};

}  // namespace cisolve::ci
