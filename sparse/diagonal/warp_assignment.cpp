#include "sparse/diagonal/warp_assignment.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve::sparse {

WarpAssignment::WarpAssignment(const std::vector<std::vector<Index>>& works)
    : stages_(works.empty() ? 0 : std::ssize(works.front())),
      sums_(StagedPairs::kWarps * stages_),
      warps_(works.size()),
      slots_(works.size()) {
  std::vector<int> order(works.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](int output) {
    return std::accumulate(works[output].begin(), works[output].end(), Index{0});
  });
  for (const int output : order) add(output, works[output]);
}

/// Assigns the output to the warp that increases the sum of squared loads least.
void WarpAssignment::add(int output, const std::vector<Index>& works) {
  int best = -1;
  Index least = 0;
  for (int warp = 0; warp < StagedPairs::kWarps; ++warp) {
    if (outputs_[warp] == StagedPairs::kOutputs) continue;
    Index cost = 0;
    for (Index s = 0; s < stages_; ++s)
      cost += works[s] * (2 * sums_[warp * stages_ + s] + works[s]);
    if (best >= 0 && cost >= least) continue;
    best = warp;
    least = cost;
  }
  for (Index s = 0; s < stages_; ++s) sums_[best * stages_ + s] += works[s];
  warps_[output] = best;
  slots_[output] = outputs_[best]++;
}

}  // namespace cisolve::sparse
