#pragma once

#include <gtest/gtest.h>

#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "solver/methods/solve.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::test {

/// The lowest states of a Hamiltonian that is stored for this.
inline solver::Result solved(const ci::Space& space, const ci::Integrals& integrals, int states,
                             double tolerance = solver::Options{}.tolerance) {
  const ci::Partition canonical(space.host());
  const auto matrix = sparse::build_matrix(ci::HamiltonianRows(space, integrals, canonical),
                                           {.format = "csr"}, space.host());
  solver::Options options;
  options.states = states;
  options.tolerance = tolerance;
  solver::Result result = solver::solve({*matrix, space.host()}, options);
  EXPECT_TRUE(result.converged());
  return result;
}

}  // namespace cisolve::test
