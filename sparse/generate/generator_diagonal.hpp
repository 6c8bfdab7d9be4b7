#pragma once

#include <vector>

#include "sparse/generate/generator.hpp"

namespace cisolve::sparse {

/// The forms of GeneratedRows with full diagonals: nearest to the main one, or random. Every
/// element is a function of its position.
class DiagonalPatternRows final : public RowSource {
 public:
  explicit DiagonalPatternRows(const GeneratorOptions& options);

  MatrixShape shape() const override { return shape_; }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  double element(Index row, Index column) const;

  MatrixShape shape_;
  std::uint64_t key_;
  std::vector<Index> shifts_;  // ascending
};

}  // namespace cisolve::sparse
