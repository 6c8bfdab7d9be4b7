#include "sparse/generate/generator_diagonal.hpp"

#include <algorithm>
#include <set>

#include "sparse/generate/generator_random.hpp"

namespace cisolve::sparse {
namespace {

enum DiagonalPurpose : std::uint64_t { kDiagonalPattern = 64, kDiagonalValues };

/// 0, 1, -1, 2, -2 and so on.
std::vector<Index> nearest(Index count) {
  std::vector<Index> shifts;
  for (Index k = 0; k < count; ++k) shifts.push_back(k % 2 == 1 ? (k + 1) / 2 : -(k / 2));
  return shifts;
}

/// The main diagonal and random others; of a symmetric matrix with their mirror images.
std::vector<Index> scattered(const GeneratorOptions& options) {
  base::RandomStream random(base::mix(options.seed, kDiagonalPattern));
  std::set<Index> shifts{0};
  while (std::ssize(shifts) < options.diagonals) {
    const auto distance =
        1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(options.rows - 1)));
    const Index shift = random.next() % 2 == 0 ? distance : -distance;
    shifts.insert(shift);
    if (options.symmetric) shifts.insert(-shift);
  }
  return {shifts.begin(), shifts.end()};
}

}  // namespace

DiagonalPatternRows::DiagonalPatternRows(const GeneratorOptions& options)
    : shape_{options.rows, options.rows, reference_columns(options), options.symmetric},
      key_(base::mix(options.seed, kDiagonalValues)),
      shifts_(options.pattern == GeneratedPattern::banded ? nearest(options.diagonals)
                                                          : scattered(options)) {
  std::ranges::sort(shifts_);
}

double DiagonalPatternRows::element(Index row, Index column) const {
  if (shape_.symmetric && row < column) std::swap(row, column);
  return nonzero_value(base::mix(
      key_ ^ (static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(column))));
}

void DiagonalPatternRows::count(Index first, std::span<Column> lengths) const {
  for (Column& length : lengths) {
    const auto low = std::ranges::lower_bound(shifts_, -first);
    const auto high = std::ranges::lower_bound(shifts_, shape_.columns - first);
    length = static_cast<Column>(high - low);
    ++first;
  }
}

void DiagonalPatternRows::fill(Index first, Index last, std::span<Column> columns,
                               std::span<double> values) const {
  std::size_t k = 0;
  for (Index row = first; row < last; ++row)
    for (const Index shift : shifts_) {
      const Index column = row + shift;
      if (column < 0 || column >= shape_.columns) continue;
      columns[k] = static_cast<Column>(column);
      values[k++] = element(row, column);
    }
}

}  // namespace cisolve::sparse
