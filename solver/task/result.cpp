#include "solver/task/result.hpp"

#include <utility>

#include "base/ranks/whole_vectors.hpp"

namespace cisolve::solver {

void bring_whole(const base::Communicator& ranks, Result& result) {
  const base::Layout layout = std::exchange(
      result.layout, base::Layout::whole(ranks.rank() == 0 ? result.layout.rows() : 0));
  result.vectors = base::whole_vectors(ranks, layout, std::move(result.vectors));
}

}  // namespace cisolve::solver
