#include "solver/task/result.hpp"

#include <utility>

#include "base/ranks/whole_vectors.hpp"

namespace cisolve::solver {

/// The weights of all states in one direction sum to 1.
SelectedStates selected_states(std::vector<double> weights, int dimensions) {
  double others = dimensions;
  for (const double weight : weights) others -= weight;
  return {std::move(weights), std::max(0.0, others)};
}

void gather_whole_result(const base::Communicator& ranks, Result& result) {
  if (ranks.size() == 1) return;
  const base::Layout layout = std::exchange(
      result.layout, base::Layout::whole(ranks.rank() == 0 ? result.layout.rows() : 0));
  result.vectors = base::whole_on_backend_or_host(ranks, layout, std::move(result.vectors));
}

}  // namespace cisolve::solver
