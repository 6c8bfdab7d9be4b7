#include <bit>
#include <optional>
#include <ranges>

#include "sparse/tiled/tiled_plan.hpp"

// Division of the rows into blocks.
namespace cisolve::sparse {
namespace {

/// First rows of blocks of about equal weight, and the end. A row weighs its number of elements
/// plus `row_weight`.
std::vector<Index> divide_rows(std::span<const Index> offsets, double row_weight, Index blocks) {
  const Index rows = std::ssize(offsets) - 1;
  const auto weight = [&](Index end) {  // weight of all rows before `end`
    return static_cast<double>(offsets[end]) + row_weight * static_cast<double>(end);
  };
  const double target = weight(rows) / static_cast<double>(blocks);
  std::vector<Index> begins{0};
  while (begins.back() < rows) {
    const double least = target * static_cast<double>(begins.size());
    const auto ends = std::views::iota(begins.back() + 1, rows);
    begins.push_back(
        *std::ranges::partition_point(ends, [&](Index end) { return weight(end) < least; }));
  }
  return begins;
}

/// Wide tiles leave fewer bits for row steps, which short rows need.
Index widest_tile(const MatrixShape& shape, Index elements, const TileGeometry& geometry) {
  if (geometry.keep_sparse_cells) return geometry.largest_tile;
  constexpr double kDense = 3;  // elements of a row in a tile
  const double density = static_cast<double>(elements) / static_cast<double>(shape.rows) /
                         static_cast<double>(shape.columns);
  const bool dense = density * static_cast<double>(geometry.largest_tile) >= kDense;
  return dense ? geometry.largest_tile : geometry.largest_tile / 2;
}

/// Columns per tile given the highest block; 0 if too few fit.
Index fitting_tile(const std::vector<Index>& begins, Index widest, const TileGeometry& geometry) {
  Index highest = 0;
  for (std::size_t i = 1; i < begins.size(); ++i)
    highest = std::max(highest, begins[i] - begins[i - 1]);
  const Index fitting = (geometry.shared_capacity - highest) / 2;
  if (fitting >= widest) return widest;
  if (geometry.keep_sparse_cells || fitting < std::max<Index>(widest / 4, 1)) return 0;
  return std::max<Index>(fitting / 32 * 32, 2);
}

Index largest_block_elements(const std::vector<Index>& begins, std::span<const Index> offsets) {
  Index largest = 0;
  for (std::size_t i = 1; i < begins.size(); ++i)
    largest = std::max(largest, offsets[begins[i]] - offsets[begins[i - 1]]);
  return largest;
}

TileCode code_for(Index columns) {
  constexpr int kLeastColumnBits = 8;  // makes jumps long enough
  return {std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(columns - 1))),
                   kLeastColumnBits)};
}

/// Divides the rows into `blocks` blocks; nullopt if too little shared memory is left for tiles.
/// Blocks have equally many elements unless one would be so high that its tiles become narrow.
std::optional<Division> division_of(const MatrixShape& shape, std::span<const Index> offsets,
                                    Index blocks, Index widest, const TileGeometry& geometry) {
  constexpr double kRowWeights[] = {0.001, 0.02, 0.1, 0.5, 1};  // multiples of a mean row's weight
  const Index elements = offsets.back();
  const double mean =
      std::max(1.0, static_cast<double>(elements) / std::max(1.0, static_cast<double>(shape.rows)));
  std::optional<Division> best;
  Index least_cost = 0;
  for (const double row_weight : kRowWeights) {
    std::vector<Index> begins = divide_rows(offsets, row_weight * mean, blocks);
    const Index columns = fitting_tile(begins, widest, geometry);
    if (columns == 0) continue;
    const Index tiles = (shape.columns + columns - 1) / columns;
    const Index cost = largest_block_elements(begins, offsets) +
                       tiles * cost_of_cell({.columns = columns, .runs = 1}, geometry);
    if (best && cost >= least_cost) continue;
    least_cost = cost;
    best = Division{std::move(begins), columns, code_for(columns),
                    may_have_tiles(shape, elements) || geometry.near_magnitudes > 0};
  }
  return best;
}

/// Cost of a block apart from its elements.
double overhead_cost(const BlockPlan& plan, const TileGeometry& geometry) {
  constexpr Index kBlock = 16'000;  // start and end of a block
  Index cost = kBlock;
  for (const Cell& cell : plan.cells)
    cost += cell.kept ? cost_of_cell(cell, geometry) : cost_of_gathers(cell, geometry);
  return static_cast<double>(cost);
}

/// Cost of the blocks that one multiprocessor processes in sequence, estimated from a few of them.
double estimated_cost(std::span<const Index> offsets, const Division& division, Index rounds,
                      const TileGeometry& geometry, const BlockPlanner& plan) {
  constexpr Index kSamples = 4;
  const Index blocks = std::ssize(division.begins) - 1;
  std::vector<Index> samples(std::min(kSamples, blocks));
  for (Index k = 0; k < std::ssize(samples); ++k)
    samples[k] = (2 * k + 1) * blocks / (2 * std::ssize(samples));
  double overhead = 0;
  for (const BlockPlan& block : plan(division, samples)) overhead += overhead_cost(block, geometry);
  return static_cast<double>(rounds) *
         (static_cast<double>(largest_block_elements(division.begins, offsets)) +
          overhead / static_cast<double>(std::max<std::size_t>(samples.size(), 1)));
}

}  // namespace

// Small matrices are divided nevertheless: blocks cost nothing there.
bool is_undivided(const MatrixShape& shape, Index elements, const TileGeometry& geometry) {
  return elements >= kLeastTiledElements && !may_have_tiles(shape, elements) &&
         !geometry.keep_sparse_cells && geometry.near_magnitudes == 0;
}

Division undivided(const MatrixShape& shape) { return {{0, shape.rows}, 2, code_for(2), false}; }

Index cost_of_cell(const Cell& cell, const TileGeometry& geometry) {
  constexpr Index kMeeting = 2'000;
  return (cell.columns * geometry.vectors + cell.runs * kRunColumns) / 4 +
         cell.row_parts * geometry.vectors + kMeeting;
}

Index cost_of_gathers(const Cell& cell, const TileGeometry& geometry) {
  return cell.elements * (6 + geometry.vectors) / 2;
}

Division divide(const MatrixShape& shape, std::span<const Index> offsets,
                const TileGeometry& geometry, const BlockPlanner& plan) {
  constexpr Index kLeastElements = 32 * kUnitElements;  // elements per block
  constexpr Index kPatience = 2;        // rounds tried, at least, without improvement
  constexpr double kWorthwhile = 0.98;  // fraction of the cost with fewer rounds
  const Index elements = offsets.back();
  if (is_undivided(shape, elements, geometry)) return undivided(shape);
  const Index wanted = std::clamp<Index>(elements / kLeastElements, 1, geometry.blocks);
  const Index widest = shape.rows == 0 ? 1 : widest_tile(shape, elements, geometry);
  const bool choose = may_have_tiles(shape, elements) && !geometry.keep_sparse_cells;
  const Index fewest = 1 + shape.rows / (wanted * geometry.shared_capacity);
  std::optional<Division> best;
  double least_cost = 0;
  Index best_rounds = 0;
  for (Index rounds = fewest; !best || rounds <= best_rounds + std::max(kPatience, best_rounds / 2);
       ++rounds) {
    auto division = division_of(shape, offsets, rounds * wanted, widest, geometry);
    if (!division) continue;
    if (!choose) return *std::move(division);
    const double cost = estimated_cost(offsets, *division, rounds, geometry, plan);
    if (best && cost > kWorthwhile * least_cost) continue;
    least_cost = cost;
    best_rounds = rounds;
    best = std::move(division);
  }
  return *std::move(best);
}

}  // namespace cisolve::sparse
