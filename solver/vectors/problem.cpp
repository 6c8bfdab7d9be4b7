#include "solver/vectors/problem.hpp"

#include "base/ranks/agreement.hpp"

namespace cisolve::solver {

base::Layout layout_of(const Problem& problem) {
  base::Layout found = base::Layout::gathered(problem.communicator, problem.matrix.rows());
  base::agree(problem.communicator, [&] {
    if (problem.layout.rows() != 0 && problem.layout != found)
      base::fail(base::Fault::usage, "a layout of ", problem.layout.rows(), " rows on ",
                 problem.layout.ranks(), " ranks for a matrix of ", problem.matrix.rows(),
                 " rows on this rank and ", found.rows(), " on all ", found.ranks());
  });
  return found;
}

}  // namespace cisolve::solver
