#include "sparse/generate/generator_symmetric.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/loops.hpp"
#include "sparse/generate/generator_random.hpp"

namespace cisolve::sparse {
namespace {

enum SymmetricPurpose : std::uint64_t { kWeights, kTiles, kThinning, kElements, kNoise };

std::uint64_t key(const GeneratorOptions& options, SymmetricPurpose purpose) {
  return base::mix(options.seed, purpose);
}

// Random bits of one element of the lower triangle.
std::uint64_t element_bits(std::uint64_t key, Index row, Index column) {
  return base::mix(key ^
                   (static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(column)));
}

double expansion_mean(const GeneratorOptions& o) {
  return o.density * static_cast<double>(o.rows - reference_columns(o));
}

// Standard deviation of g that, with the binomial one, gives the requested spread.
double weight_deviation(const GeneratorOptions& o) {
  const double mean = expansion_mean(o);
  const double variance = o.spread * o.spread - mean * (1 - o.density);
  return mean > 0 && variance > 0 ? std::sqrt(variance) / mean : 0;
}

}  // namespace

SymmetricRows::SymmetricRows(const GeneratorOptions& options, const base::Backend& host)
    : options_(options),
      shape_{options.rows, options.rows, reference_columns(options), true},
      thinning_key_(key(options, kThinning)),
      value_key_(key(options, kElements)),
      weight_(host, options.rows, "the weights of the generated rows"),
      block_weight_((options.rows + kTile - 1) / kTile) {
  if (shape_.reference_columns > 0)
    reference_probability_ = static_cast<double>(options.reference_per_row) /
                             static_cast<double>(shape_.reference_columns);
  const double reference_row = reference_probability_ * static_cast<double>(shape_.rows);
  const double other_row = static_cast<double>(options.reference_per_row) + expansion_mean(options);
  scale_ = 1 / std::sqrt(std::max({1.0, reference_row, other_row}));

  const double deviation = weight_deviation(options);
  base::for_each_chunk(shape_.rows, kTile, host, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row)
      weight_[row] =
          0.5 + deviation * normal({key(options, kWeights), static_cast<std::uint64_t>(row)});
    block_weight_[first / kTile] = std::ranges::max(weight_.span().subspan(first, last - first));
  });
}

inline double SymmetricRows::probability(Index row, Index column) const {
  if (column < shape_.reference_columns) return reference_probability_;
  return std::clamp(options_.density * (weight_[row] + weight_[column]), 0.0, 1.0);
}

double SymmetricRows::largest_probability(Index block_row, Index block_column) const {
  const Index border = shape_.reference_columns;
  double largest = block_column * kTile < border ? reference_probability_ : 0;
  if ((block_column + 1) * kTile > border)
    largest = std::max(largest,
                       options_.density * (block_weight_[block_row] + block_weight_[block_column]));
  return std::min(largest, 1.0);
}

// Thins candidates from the tile's largest probability to the probability at their position.
inline bool SymmetricRows::survives(Index row, Index column, double drawn) const {
  const double wanted = probability(row, column);
  return wanted == drawn ||
         base::unit_interval(element_bits(thinning_key_, row, column)) * drawn < wanted;
}

double SymmetricRows::diagonal(Index row) const {
  const auto number = static_cast<std::uint64_t>(row) + 1;
  const int octave = 63 - std::countl_zero(number);
  const double level = octave - 1 + std::ldexp(static_cast<double>(number), -octave);
  return level + 0.125 * nonzero_value(element_bits(key(options_, kNoise), row, row));
}

inline double SymmetricRows::element(Index row, Index column) const {
  if (row == column) return diagonal(row);
  if (row < column) std::swap(row, column);
  return scale_ * nonzero_value(element_bits(value_key_, row, column));
}

// Calls visit(row, column) for the elements of a tile below the diagonal, row by row: draws
// distinct candidates with the tile's largest probability, then thins them.
template <class Visit>
void SymmetricRows::visit_tile(Index block_row, Index block_column, DistinctNumbers& distinct,
                               Visit&& visit) const {
  const Index first_row = block_row * kTile;
  const Index first_column = block_column * kTile;
  const Index places = kTile * std::min(kTile, shape_.rows - first_row);
  base::RandomStream random(base::mix(key(options_, kTiles), static_cast<std::uint64_t>(block_row)),
                            static_cast<std::uint64_t>(block_column));
  const double density = largest_probability(block_row, block_column);
  const auto candidates =
      static_cast<Index>(density * static_cast<double>(places) + random.uniform());
  distinct.draw(places, std::min(candidates, places), random, [&](Index place) {
    const Index row = first_row + place / kTile;
    const Index column = first_column + place % kTile;
    if (column < row && survives(row, column, density)) visit(row, column);
  });
}

// Calls visit(row, column) for the elements of a block of rows, by ascending column within a row.
template <class Visit>
void SymmetricRows::visit_block_row(Index block, Visit&& visit) const {
  DistinctNumbers distinct(kTile * kTile);
  const auto transposed = [&](Index row, Index column) { visit(column, row); };
  for (Index left = 0; left <= block; ++left) visit_tile(block, left, distinct, visit);
  const Index end = std::min(shape_.rows, (block + 1) * kTile);
  for (Index row = block * kTile; row < end; ++row) visit(row, row);
  for (Index below = block; below < std::ssize(block_weight_); ++below)
    visit_tile(below, block, distinct, transposed);
}

template <class Visit>
void SymmetricRows::visit_rows(Index first, Index last, Visit&& visit) const {
  const auto wanted = [&](Index row, Index column) {
    if (row >= first && row < last) visit(row, column);
  };
  for (Index block = first / kTile; block * kTile < last; ++block) visit_block_row(block, wanted);
}

void SymmetricRows::count(Index first, std::span<Column> lengths) const {
  std::ranges::fill(lengths, 0);
  visit_rows(first, first + std::ssize(lengths), [&](Index row, Index) { ++lengths[row - first]; });
}

void SymmetricRows::fill(Index first, Index last, std::span<Column> columns,
                         std::span<double> values) const {
  std::vector<Column> lengths(last - first);
  count(first, lengths);
  std::vector<Index> next(last - first, 0);
  std::exclusive_scan(lengths.begin(), lengths.end(), next.begin(), Index{0});
  visit_rows(first, last, [&](Index row, Index column) {
    const Index k = next[row - first]++;
    columns[k] = static_cast<Column>(column);
    values[k] = element(row, column);
  });
}

}  // namespace cisolve::sparse
