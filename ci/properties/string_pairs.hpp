#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ci/fock/spaces/space.hpp"
#include "ci/fock/spaces/strings_with_fewer_electrons.hpp"

namespace cisolve::ci {

/// Two strings of one spin that differ by `moved` orbitals: `target` = excitation from -> to of
/// `string`. For a single excitation, `first` equals `second`.
struct StringPair {
  StringNumber string;
  StringNumber target;
  MovedOrbitals from;
  MovedOrbitals to;
  std::int8_t moved;
  bool odd;  // the excitation changes the sign
};

/// The pairs of consecutive strings.
struct PairBatch {
  Index first_string;
  base::Array<Index> offsets;  // first pair of each string, and the end
  base::Array<StringPair> pairs;
};

/// Pairs of each string of one spin with itself and with its single excitations; with `most_moved`
/// = 2 also doubles, and then each pair once: target >= string.
class StringPairs {
 public:
  StringPairs(const Space& space, Spin spin, int most_moved);  // the space must outlive it

  /// All pairs, in the same order each time. Cached if they take little of the memory left.
  void for_each_batch(const std::function<void(const PairBatch&)>& take) const;

 private:
  Index most_partners() const;
  Index strings_at_once() const;
  PairBatch find(Index first_string, Index count, base::Array<StringPair>& workspace) const;
  Index write_pairs(Index string, StringPair* to) const;

  const Space& space_;
  Spin spin_;
  StringsWithFewerElectrons one_fewer_;
  std::optional<StringsWithFewerElectrons> two_fewer_;
  Index most_of_string_;
  mutable std::vector<PairBatch> kept_;
};

}  // namespace cisolve::ci
