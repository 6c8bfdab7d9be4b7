#pragma once

#include <vector>

#include "base/array.hpp"
#include "sparse/generate/generator.hpp"

namespace cisolve::sparse {

class DistinctNumbers;

/// The symmetric form of GeneratedRows. The lower triangle is drawn tile by tile, each a function
/// of its position alone. A block of rows visits its own tiles and, transposed, the tiles below the
/// diagonal in its columns; this order yields ascending columns.
class SymmetricRows final : public RowSource {
 public:
  SymmetricRows(const GeneratorOptions& options, const base::Backend& host);

  MatrixShape shape() const override { return shape_; }
  Index grain() const override { return kTile; }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  static constexpr Index kTile = 1024;  // the bitmap of a tile fits into an L2 cache

  double probability(Index row, Index column) const;
  double largest_probability(Index block_row, Index block_column) const;
  bool survives(Index row, Index column, double drawn) const;
  double element(Index row, Index column) const;
  double diagonal(Index row) const;

  template <class Visit>
  void visit_tile(Index block_row, Index block_column, DistinctNumbers& distinct,
                  Visit&& visit) const;
  template <class Visit>
  void visit_block_row(Index block, Visit&& visit) const;
  template <class Visit>
  void visit_rows(Index first, Index last, Visit&& visit) const;

  GeneratorOptions options_;
  MatrixShape shape_;
  std::uint64_t thinning_key_;
  std::uint64_t value_key_;
  double reference_probability_ = 0;
  double scale_ = 1;                  // scale of the elements off the diagonal
  base::Array<double> weight_;        // g_i - 1/2
  std::vector<double> block_weight_;  // maximum in each block of kTile rows
};

}  // namespace cisolve::sparse
