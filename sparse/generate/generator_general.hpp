#pragma once

#include "sparse/generate/generator.hpp"

namespace cisolve::sparse {

/// The general form of GeneratedRows; every row is drawn on its own.
class GeneralRows final : public RowSource {
 public:
  explicit GeneralRows(const GeneratorOptions& options);

  MatrixShape shape() const override { return shape_; }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  Index expansion_length(Index row) const;

  GeneratorOptions options_;
  MatrixShape shape_;
};

}  // namespace cisolve::sparse
