#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "ci/strings/string.hpp"

namespace cisolve::ci {

/// Alpha strings of a space in batches that the host works on at once: of each up to as many as
/// a pack has lanes, with the same list of beta strings. Neighbours are together: most of what they
/// read is the same.
class AlphaBatches {
 public:
  using Batch = std::span<const StringNumber>;

  /// By something that tells the list of each alpha string from others.
  explicit AlphaBatches(std::span<const base::Index> list_of);
  /// Of some of these strings.
  AlphaBatches(std::span<const base::Index> list_of, std::vector<StringNumber> strings);

  base::Index size() const { return std::ssize(begins_) - 1; }
  Batch operator[](base::Index i) const {
    return Batch(order_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }

 private:
  std::vector<StringNumber> order_;
  std::vector<base::Index> begins_;  // and the end
};

}  // namespace cisolve::ci
