#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace cisolve::base {

/// Small dense column-major matrix on the host: coefficients and inner products of blocks.
class SmallMatrix {
 public:
  SmallMatrix(int rows, int columns)
      : rows_(rows), columns_(columns), values_(Index{rows} * columns) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  double& operator()(int row, int column) { return values_[position(row, column)]; }
  double operator()(int row, int column) const { return values_[position(row, column)]; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

 private:
  Index position(int row, int column) const { return Index{column} * rows_ + row; }
  int rows_;
  int columns_;
  std::vector<double> values_;
};

}  // namespace cisolve::base
