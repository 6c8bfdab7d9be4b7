#include "sparse/tiled/magnitude_codes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "sparse/formats/formulas.hpp"
#include "sparse/tiled/tiled_plan.hpp"

namespace cisolve::sparse {
namespace {

struct CountedMagnitude {
  double magnitude;
  Index count;
};

double magnitude_of(double value) { return value < 0 ? -value : value; }

/// Candidate magnitudes, and how often each occurs in the sample.
std::vector<CountedMagnitude> counted(std::span<const double> common,
                                      std::span<const double> sample) {
  std::vector<CountedMagnitude> found;
  if (!common.empty()) {
    const ValueTableView table{common.data(), std::ssize(common)};
    for (const double magnitude : common) found.push_back({magnitude, 0});
    for (const double value : sample) {
      const Index number = table.number_of(value);
      if (number >= 0) ++found[number].count;
    }
    return found;
  }
  std::unordered_map<double, Index> counts;
  for (const double value : sample)
    if (value != 0) ++counts[magnitude_of(value)];
  for (const auto& [magnitude, count] : counts)
    if (count > 1) found.push_back({magnitude, count});
  return found;
}

}  // namespace

MagnitudeCodes choose_codes(std::span<const double> common, std::span<const double> sample) {
  std::vector<CountedMagnitude> list = counted(common, sample);
  std::ranges::sort(list, [](const CountedMagnitude& a, const CountedMagnitude& b) {
    return a.count != b.count ? a.count > b.count : a.magnitude < b.magnitude;
  });
  if (std::ssize(list) > kMostMagnitudes) list.resize(kMostMagnitudes);
  MagnitudeCodes codes;
  Index coded = 0;
  for (const CountedMagnitude& one : list) {
    codes.magnitudes.push_back(one.magnitude);
    coded += one.count;
  }
  codes.share =
      static_cast<double>(coded) / static_cast<double>(std::max<std::size_t>(sample.size(), 1));
  return codes;
}

// Parts at even distances, each with rows for at least kElements elements.
std::vector<SampledRange> sampled_rows(std::span<const Index> offsets) {
  constexpr Index kParts = 64;
  constexpr Index kElements = 1 << 14;
  const Index rows = std::ssize(offsets) - 1;
  if (offsets.back() <= kParts * kElements) return {{0, rows}};
  std::vector<SampledRange> parts;
  for (Index part = 0; part < kParts; ++part) {
    const Index first = std::max((2 * part + 1) * rows / (2 * kParts),
                                 parts.empty() ? Index{0} : parts.back().last);
    Index last = first;
    while (last < rows && offsets[last] - offsets[first] < kElements) ++last;
    if (last > first) parts.push_back({first, last});
  }
  return parts;
}

std::optional<MagnitudeCodes> codes_for(
    const MatrixShape& shape, std::span<const Index> offsets, const TileGeometry& geometry,
    const std::function<std::vector<double>(const SampledRange&)>& read) {
  if (geometry.values == ValueEncoding::plain) return std::nullopt;
  if (!may_have_tiles(shape, offsets.back()) && !geometry.keep_sparse_cells) return std::nullopt;
  std::vector<double> sample;
  for (const SampledRange& part : sampled_rows(offsets)) {
    const std::vector<double> values = read(part);
    sample.insert(sample.end(), values.begin(), values.end());
  }
  MagnitudeCodes codes = choose_codes(geometry.common_magnitudes, sample);
  if (!codes.worthwhile()) return std::nullopt;
  return codes;
}

std::optional<MagnitudeCodes> codes_for(const RowSource& rows, std::span<const Column> lengths,
                                        std::span<const Index> offsets,
                                        const TileGeometry& geometry) {
  return codes_for(rows.shape(), offsets, geometry, [&](const SampledRange& part) {
    std::vector<double> values;
    for_each_row_of_block(rows, lengths, part.first, part.last, [&](const Row& row) {
      values.insert(values.end(), row.values.begin(), row.values.end());
    });
    return values;
  });
}

ValueNumbers::ValueNumbers(std::span<const double> magnitudes, const base::Backend& backend)
    : sorted_(backend, 0, "the magnitudes of coded values"),
      numbers_(backend, 0, "the numbers of magnitudes") {
  std::vector<std::uint16_t> numbers(magnitudes.size());
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  std::ranges::sort(numbers, {}, [&](std::uint16_t number) { return magnitudes[number]; });
  std::vector<double> sorted;
  for (const std::uint16_t number : numbers) sorted.push_back(magnitudes[number]);
  sorted_ = base::Array<double>::copy_of(sorted, backend, "the magnitudes of coded values");
  numbers_ = base::Array<std::uint16_t>::copy_of(numbers, backend, "the numbers of magnitudes");
}

/// Calls take(row number, column, value) for the selected elements.
template <class Take>
void CodeFilteredRows::for_each(Index first, Index last, Take&& take) const {
  for_each_row_of_block(rows_, lengths_, first, last, [&](const Row& row) {
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const int code = coder_.code_of(row.values[k]);
      if (code >= 0 && part_ == Part::coded)
        take(row.number, row.columns[k], code_as_value(static_cast<unsigned>(code)));
      if (code < 0 && part_ == Part::other) take(row.number, row.columns[k], row.values[k]);
    }
  });
}

void CodeFilteredRows::count(Index first, std::span<Column> lengths) const {
  std::ranges::fill(lengths, Column{0});
  for_each(first, first + std::ssize(lengths),
           [&](Index row, Column /*column*/, double /*value*/) { ++lengths[row]; });
}

void CodeFilteredRows::fill(Index first, Index last, std::span<Column> columns,
                            std::span<double> values) const {
  std::size_t next = 0;
  for_each(first, last, [&](Index /*row*/, Column column, double value) {
    columns[next] = column;
    values[next++] = value;
  });
}

// Rare magnitudes of a large table are read from the L2 cache. With several vectors, shared memory
// is better used for tiles. The number is even, which keeps the following arrays aligned for copies
// of pairs.
TileGeometry reserve_for_magnitudes(const TileGeometry& geometry, Index magnitudes) {
  const Index part = geometry.vectors == 1 ? 2 : 8;  // fraction of shared memory
  TileGeometry coded = geometry;
  Index most = geometry.shared_capacity * geometry.vectors / part;
  if (geometry.keep_sparse_cells)  // two tiles of the requested width and the results come first
    most = std::clamp<Index>(
        (geometry.shared_capacity - 3 * geometry.largest_tile) * geometry.vectors, 0, most);
  coded.near_magnitudes = (std::min(magnitudes, most) + 1) / 2 * 2;
  coded.shared_capacity -= (coded.near_magnitudes + geometry.vectors - 1) / geometry.vectors;
  if (!geometry.keep_sparse_cells)
    coded.largest_tile = std::min(geometry.largest_tile, coded.shared_capacity / 7 * 4 / 32 * 32);
  return coded;
}

MemoryUse plan_coded_tiles(const MatrixShape& shape, Index coded, Index others, Index magnitudes,
                           const TileGeometry& geometry) {
  const Index blocks = std::clamp<Index>(shape.rows, 1, geometry.blocks);
  const Index offsets = shape.rows + 1 + blocks * (kTileWarps + 1);
  const Index tiles = 1 + 2 * shape.columns / geometry.largest_tile;
  const Index stored = coded + coded / 32;
  return with_wide_offsets(
      csr_bytes(shape.rows, others) +
          coded_tiled_bytes(stored, blocks * tiles, blocks * tiles, blocks, magnitudes),
      offsets, stored - coded);
}

}  // namespace cisolve::sparse
