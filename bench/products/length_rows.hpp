#pragma once

#include <cstdint>

#include "sparse/rows/row_source.hpp"

namespace cisolve::bench {

using base::Column;
using base::Index;

/// Published statistics of a matrix: its size, and the mean and standard deviation of its row
/// lengths.
struct LengthStatistics {
  Index rows = 0;
  Index columns = 0;
  double mean = 0;
  double deviation = 0;
  std::uint64_t seed = 1;
};

/// Row lengths are drawn from a log-normal distribution with this mean and deviation, which is
/// never negative and has the long tail of graphs; columns are spread evenly, each random within
/// its part of the row; values are uniform in (-1, 1). Any range of rows is independent of the
/// number of threads.
class LengthRows final : public sparse::RowSource {
 public:
  explicit LengthRows(const LengthStatistics& statistics);

  sparse::MatrixShape shape() const override {
    return {statistics_.rows, statistics_.columns, 0, false};
  }
  Index grain() const override { return 1024; }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  Index length(Index row) const;

  LengthStatistics statistics_;
  double log_mean_ = 0;
  double log_deviation_ = 0;
};

}  // namespace cisolve::bench
