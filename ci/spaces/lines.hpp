#pragma once

#include "ci/spaces/space.hpp"

namespace cisolve::ci {

/// The determinants of a space sorted by the string of one spin: for alpha they are, for beta this
/// is their transposed order. The line of a string is what stands beside it.
class Lines {
 public:
  Lines(const Space& space, Spin spin);  // the space must outlive it

  /// The strings of the other spin that stand beside a string, ascending.
  std::span<const StringNumber> others(Index string) const;
  /// Where the line of a string begins in what arranged() returns.
  Index first(Index string) const;

  /// The elements of a vector in the order of the lines; `room` holds them where it is another one.
  const double* arranged(const double* vector, base::Array<double>& room) const;

 private:
  template <class Visit>
  void for_each_of_lines(Visit&& visit) const;

  const Space& space_;
  bool is_alpha_;
  bool is_complete_;                  // each string stands beside all of the other spin
  base::Array<Index> first_;          // of beta
  base::Array<StringNumber> others_;  // likewise; once where the space is complete
};

}  // namespace cisolve::ci
