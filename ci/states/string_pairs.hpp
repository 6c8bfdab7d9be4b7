#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ci/hamiltonian/remnants.hpp"
#include "ci/spaces/space.hpp"

namespace cisolve::ci {

/// Two strings of one spin that differ by `moved` orbitals: a string itself and what its electrons
/// move to. With one electron moved, `first` and `second` are the same.
struct StringPair {
  StringNumber string;
  StringNumber target;
  Moved from;
  Moved to;
  std::int8_t moved;
  bool odd;  // the moves change the sign
};

/// The pairs of some strings that follow one another.
struct PairBatch {
  Index first_string;
  base::Array<Index> offsets;  // of the pairs of each string, and the end
  base::Array<StringPair> pairs;
};

/// For each string of one spin the pairs with itself and with those that differ by one orbital;
/// with `most_moved` 2 by two as well, but then each pair once: target >= string.
class StringPairs {
 public:
  StringPairs(const Space& space, Spin spin, int most_moved);  // the space must outlive it

  /// All of them, always in the same order. They are kept for the next time where that takes little
  /// of the memory that is left.
  void for_each_batch(const std::function<void(const PairBatch&)>& take) const;

 private:
  Index most_partners() const;
  Index strings_at_once() const;
  PairBatch find(Index first_string, Index count, base::Array<StringPair>& room) const;
  Index write_pairs(Index string, StringPair* to) const;

  const Space& space_;
  Spin spin_;
  Remnants one_fewer_;
  std::optional<Remnants> two_fewer_;
  Index most_of_string_;
  mutable std::vector<PairBatch> kept_;
};

}  // namespace cisolve::ci
