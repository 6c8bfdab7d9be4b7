#include "ci/fock/spaces/alpha_batches.hpp"

#include <algorithm>
#include <numeric>

#include "base/pack.hpp"

namespace cisolve::ci {
namespace {

std::vector<StringNumber> all_strings(std::size_t count) {
  std::vector<StringNumber> strings(count);
  std::iota(strings.begin(), strings.end(), 0);
  return strings;
}

}  // namespace

AlphaBatches::AlphaBatches(std::span<const base::Index> list_of)
    : AlphaBatches(list_of, all_strings(list_of.size())) {}

AlphaBatches::AlphaBatches(std::span<const base::Index> list_of, std::vector<StringNumber> strings)
    : order_(std::move(strings)) {
  const auto list = [&](StringNumber alpha) { return list_of[alpha]; };
  std::ranges::stable_sort(order_, {}, list);
  const base::Index all = std::ssize(order_);
  for (base::Index i = 0; i < all; ++i)
    if (i == 0 || i - begins_.back() == base::kPackLanes || list(order_[i]) != list(order_[i - 1]))
      begins_.push_back(i);
  begins_.push_back(all);
}

}  // namespace cisolve::ci
