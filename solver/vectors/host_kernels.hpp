#pragma once

#include "solver/vectors/kernels.hpp"

namespace cisolve::solver {

/// Serial kernels that both host backends share: a few rows are not worth a second thread.
class HostKernels : public Kernels {
 public:
  void gather(const Backend& /*backend*/, ConstBlock x, std::span<const Index> rows,
              SmallMatrix& values) const final {
    for (int j = 0; j < x.columns; ++j)
      for (int r = 0; r < std::ssize(rows); ++r) values(r, j) = x(rows[r], j);
  }

  void scatter(const Backend& /*backend*/, const SmallMatrix& values, std::span<const Index> rows,
               Block y) const final {
    for (int j = 0; j < y.columns; ++j)
      for (int r = 0; r < std::ssize(rows); ++r) y(rows[r], j) = values(r, j);
  }
};

}  // namespace cisolve::solver
