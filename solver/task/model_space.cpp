#include "solver/task/model_space.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cisolve::solver {
namespace {

void require_rows(const std::vector<Index>& rows, Index dimension) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= dimension || (i > 0 && rows[i] <= rows[i - 1]))
      base::fail(base::Fault::usage, "row ", rows[i], " of the model space; expected ascending ",
                 "rows from 0 to ", dimension - 1);
}

/// A few columns at a time: A e for the unit vectors e of the rows, of which the rows are kept.
SmallMatrix block_by_products(MeteredOperator& matrix, const Vectors& vectors,
                              const std::vector<Index>& rows) {
  const auto size = static_cast<int>(rows.size());
  int width = std::min(size, 8);
  while (width > 1 && !vectors.have_room_for(2 * width)) width /= 2;
  base::MultiVector units = vectors.make(width, "unit vectors");
  base::MultiVector images = vectors.make(width, "images of unit vectors");
  SmallMatrix block(size, size);
  for (int first = 0; first < size; first += width) {
    const int count = std::min(width, size - first);
    const auto mine = std::span(rows).subspan(first, count);
    vectors.fill_units(mine, columns_of(units, 0, count));
    matrix.apply(columns_of(units, 0, count), columns_of(images, 0, count));
    SmallMatrix columns(size, count);
    vectors.gather(columns_of(images, 0, count), rows, columns);
    std::ranges::copy(columns.values(), block.values().begin() + Index{first} * size);
  }
  return block;
}

}  // namespace

ModelSpace make_model_space(const Problem& problem, MeteredOperator& matrix, const Vectors& vectors,
                            ConstColumns diagonal, int size, int starts) {
  std::vector<Index> rows = problem.model_rows;
  require_rows(rows, vectors.dimension());
  const bool knows_elements = vectors.ranks().all_true(problem.model_block != nullptr);
  if (rows.empty() && knows_elements) rows = problem.model_block->lowest(size);
  if (!vectors.ranks().all_true(!rows.empty())) rows = vectors.lowest(diagonal, size);
  const auto count = static_cast<int>(rows.size());
  SmallMatrix block(count, count);
  if (knows_elements)
    problem.model_block->fill(rows, block);
  else
    block = block_by_products(matrix, vectors, rows);
  return {std::move(rows), ShiftedInverse(std::move(block), starts)};
}

void fill_from_model(const ModelSpace& model, const Vectors& vectors, Columns y) {
  vectors.embed(columns_of(model.inverse.lowest(y.count()).vectors, 0, y.count()), model.rows, y);
}

}  // namespace cisolve::solver
