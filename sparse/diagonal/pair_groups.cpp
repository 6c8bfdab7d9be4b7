#include "sparse/diagonal/pair_groups.hpp"

#include <algorithm>
#include <numeric>

#include "base/loops.hpp"

namespace cisolve::sparse {
namespace {

/// Merges the lists of outputs first..last-1 by ascending step, then by output.
void merge(const ProductPairs& all, Index first, Index last, Index begin, PairGroups& groups) {
  std::vector<Index> order(all.offsets[last] - all.offsets[first]);
  std::iota(order.begin(), order.end(), all.offsets[first]);
  std::vector<Index> number(order.size());
  for (Index output = first; output < last; ++output)
    std::fill(number.begin() + (all.offsets[output] - all.offsets[first]),
              number.begin() + (all.offsets[output + 1] - all.offsets[first]), output - first);
  std::ranges::stable_sort(order, {}, [&](Index pair) { return all.steps[pair]; });
  for (const Index pair : order) {
    const auto [a, b] = all.pairs[pair];
    const Index output = number[pair - all.offsets[first]];
    groups.pairs[begin] = {(a << PairGroups::kBits) + output, b};
    groups.steps[begin++] = all.steps[pair];
  }
}

}  // namespace

PairGroups PairGroups::of(const ProductPairs& all, Index outputs, const base::Backend& host) {
  PairGroups groups{outputs, {}, {}, {}};
  const Index count = std::ssize(all.outputs);
  for (Index first = 0; first < count; first += outputs)
    groups.offsets.push_back(all.offsets[first]);
  groups.offsets.push_back(std::ssize(all.pairs));
  groups.pairs.resize(all.pairs.size());
  groups.steps.resize(all.steps.size());
  base::for_each_chunk(std::ssize(groups.offsets) - 1, 16, host, [&](Index begin, Index end) {
    for (Index group = begin; group < end; ++group)
      merge(all, group * outputs, std::min(count, (group + 1) * outputs), groups.offsets[group],
            groups);
  });
  return groups;
}

}  // namespace cisolve::sparse
