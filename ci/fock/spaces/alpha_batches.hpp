#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "ci/fock/strings/string.hpp"

namespace cisolve::ci {

/// Batches of up to base::kPackLanes alpha strings that share one list of beta strings, in
/// ascending order so that neighbours read mostly the same data.
class AlphaBatches {
 public:
  using Batch = std::span<const StringNumber>;

  /// `list_of`: the number of each alpha string's list, or any label that distinguishes lists.
  explicit AlphaBatches(std::span<const base::Index> list_of);
  /// Batches of `strings` alone.
  AlphaBatches(std::span<const base::Index> list_of, std::vector<StringNumber> strings);

  base::Index size() const { return std::ssize(begins_) - 1; }
  Batch operator[](base::Index i) const {
    return Batch(order_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }

 private:
  std::vector<StringNumber> order_;
  std::vector<base::Index> begins_;  // where each batch begins, and the end of the last one
};

}  // namespace cisolve::ci
