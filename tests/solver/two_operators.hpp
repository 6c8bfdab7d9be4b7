#pragma once

#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {

/// Two operators of one matrix: the second verifies results of the first.
class TwoOperators : public BackendTest {
 protected:
  static constexpr int kRows = 300;
  static constexpr int kStates = 4;
  base::Backend backend = backend_under_test();
  DenseOperator solved{diagonally_dominant(kRows, 21, 0.2), backend};
  DenseOperator second{diagonally_dominant(kRows, 21, 0.2), backend};
  solver::Problem check{second, backend};
};

}  // namespace cisolve::test
