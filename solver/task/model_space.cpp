#include "solver/task/model_space.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "solver/task/state_selection.hpp"

namespace cisolve::solver {
namespace {

void require_rows(const std::vector<Index>& rows, Index dimension) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= dimension || (i > 0 && rows[i] <= rows[i - 1]))
      base::fail(base::ErrorKind::usage, "model_rows has row ", rows[i],
                 i > 0 ? base::concat(" after row ", rows[i - 1]) : "",
                 "; expected ascending rows from 0 to ", dimension - 1);
}

/// A on the rows, from A e for unit vectors e, a few at a time.
SmallMatrix block_by_products(MeteredOperator& matrix, const Vectors& vectors,
                              const std::vector<Index>& rows) {
  const auto size = static_cast<int>(rows.size());
  int width = std::min(size, 8);
  while (width > 1 && !vectors.have_memory_for(2 * width)) width /= 2;
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

std::vector<Index> nearest_rows(const Vectors& vectors, ConstColumns diagonal, double energy,
                                int count) {
  base::MultiVector distances = vectors.make(1, "distances of the diagonal from an energy");
  vectors.sqrt_of_distances(diagonal, energy, 0, distances);
  return vectors.lowest(distances, count);
}

std::vector<Index> rows_for(const Problem& problem, const Vectors& vectors, ConstColumns diagonal,
                            int size) {
  if (vectors.ranks().all_true(!problem.model_rows.empty())) return problem.model_rows;
  return lowest_rows(problem, vectors, diagonal, size);
}

ModelSpace model_of(RowBlock block, int starts) {
  return {std::move(block.rows), ShiftedInverse(std::move(block.elements), starts)};
}

}  // namespace

// A larger model space saves few products if some determinants dominate, up to half if none does,
// and is made on the host: too slow if a device multiplies in half a millisecond.
int model_rows(const Options& options, const Backend& backend, Index dimension) {
  constexpr int kSmall = 128;
  constexpr int kLarge = 400;
  constexpr Index kSoonMultiplied = Index{1} << 19;
  if (options.model_size >= 0) return options.model_size;
  const bool is_soon = !backend.is_host() && dimension <= kSoonMultiplied / options.states &&
                       options.states + options.guards <= kSmall / 4;
  return is_soon ? kSmall : kLarge;
}

RowBlock block_of(const ModelBlock& matrix, std::vector<Index> rows) {
  const auto count = static_cast<int>(rows.size());
  SmallMatrix elements(count, count);
  matrix.fill(rows, rows, elements);
  return {std::move(rows), std::move(elements)};
}

std::optional<RowBlock> lowest_block_of(const ModelBlock& matrix, int size) {
  std::vector<Index> rows = matrix.lowest(size);
  if (rows.empty()) return {};
  return block_of(matrix, std::move(rows));
}

std::vector<Index> lowest_rows(const Problem& problem, const Vectors& vectors,
                               ConstColumns diagonal, int size) {
  std::vector<Index> rows;
  if (problem.model_block != nullptr) rows = problem.model_block->lowest(size);
  if (!vectors.ranks().all_true(!rows.empty())) rows = vectors.lowest(diagonal, size);
  return rows;
}

ModelSpace make_model_space(const Problem& problem, MeteredOperator& matrix, const Vectors& vectors,
                            ConstColumns diagonal, int size, int starts,
                            std::optional<double> near) {
  require_rows(problem.model_rows, vectors.dimension());
  const bool knows_elements = vectors.ranks().all_true(problem.model_block != nullptr);
  std::vector<Index> rows = near ? nearest_rows(vectors, diagonal, *near, size)
                                 : rows_for(problem, vectors, diagonal, size);
  if (knows_elements) return model_of(block_of(*problem.model_block, std::move(rows)), starts);
  SmallMatrix block = block_by_products(matrix, vectors, rows);
  return {std::move(rows), ShiftedInverse(std::move(block), starts)};
}

std::optional<ModelSpace> make_model_space(const ModelBlock& matrix, int size, int starts) {
  std::optional<RowBlock> block = lowest_block_of(matrix, size);
  if (!block) return {};
  return model_of(*std::move(block), starts);
}

void fill_from_model(const ModelSpace& model, const Vectors& vectors, std::optional<double> near,
                     int first, Columns y) {
  const int count = first + y.count();
  if (!near)
    return vectors.embed(columns_of(model.inverse.lowest(count).vectors, first, y.count()),
                         model.rows, y);
  const EigenPairs& all = model.inverse.lowest(model.inverse.rows());
  const std::vector<int> nearest = StateSelection::nearest_to(*near, all.values, count);
  vectors.embed(columns_of(columns_of(all.vectors, nearest), first, y.count()), model.rows, y);
}

}  // namespace cisolve::solver
