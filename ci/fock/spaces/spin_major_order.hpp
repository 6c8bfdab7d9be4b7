#pragma once

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// The determinants of a space ordered by the string of one spin: the canonical order for alpha,
/// its transpose for beta. The line of a string is the set of its determinants.
class SpinMajorOrder {
 public:
  SpinMajorOrder(const Space& space, Spin spin);  // keeps a reference to `space`

  /// The strings of the other spin that pair with `string`, ascending.
  std::span<const StringNumber> others(Index string) const;
  /// The first element of the line of `string` in arranged().
  Index first(Index string) const;

  /// Returns `vector` in this order: `vector` itself for alpha, else a copy in `workspace`.
  const double* arranged(const double* vector, base::Array<double>& workspace) const;

 private:
  template <class Visit>
  void for_each_of_lines(Visit&& visit) const;

  const Space& space_;
  bool is_alpha_;
  bool is_complete_;                  // whether all alpha-beta pairs are in the space
  base::Array<Index> first_;          // offsets of beta lines
  base::Array<StringNumber> others_;  // alpha strings per beta line; one list for all if complete
};

}  // namespace cisolve::ci
