#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string_view>
#include <vector>

#include "base/fill.hpp"
#include "base/loops.hpp"
#include "sparse/diagonal/layout.hpp"
#include "sparse/rows/build.hpp"

// Two passes over the rows: the first finds the occupied diagonals, the second writes values.
namespace cisolve::sparse {
namespace {

constexpr Index kShiftBits = 64;

/// Set of shifts from -(rows - 1) to columns - 1, one bit each; threads may add concurrently.
class ShiftSet {
 public:
  ShiftSet(const MatrixShape& shape, const base::Backend& host)
      : least_(1 - shape.rows),
        words_(host, (shape.rows + shape.columns) / kShiftBits + 1, "the occupied diagonals") {
    base::fill_bytes(words_, 0);
  }

  void add(Index shift) {
    const Index place = shift - least_;
    const std::atomic_ref<std::uint64_t> word(words_[place / kShiftBits]);
    const std::uint64_t bit = 1ULL << (place % kShiftBits);
    if ((word.load(std::memory_order_relaxed) & bit) == 0)
      word.fetch_or(bit, std::memory_order_relaxed);
  }

  std::vector<Index> shifts() const {
    std::vector<Index> list;
    for (Index w = 0; w < words_.size(); ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        list.push_back(least_ + w * kShiftBits + std::countr_zero(word));
    return list;
  }

 private:
  Index least_;
  base::Array<std::uint64_t> words_;
};

struct Found {
  DiagonalLayout layout;
  Index elements;
  Index held;
};

/// Finds the diagonals for several formats in one pass over the rows.
template <std::size_t count>
std::array<Found, count> find_diagonals(const RowSource& rows, std::span<const Column> lengths,
                                        const std::array<std::string_view, count>& names,
                                        const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  std::vector<ShiftSet> sets;
  for (std::size_t i = 0; i < count; ++i) sets.emplace_back(shape, host);
  std::array<std::atomic<Index>, count> held{};
  for_each_row(rows, lengths, host, [&](const Row& row) {
    for (std::size_t i = 0; i < count; ++i) {
      Index mine = 0;
      for (const Column column : row.columns) {
        const Index shift = column - row.number;
        if (!is_stored(names[i], shape, shape.symmetric, shift)) continue;
        sets[i].add(shift);
        ++mine;
      }
      held[i] += mine;
    }
  });
  std::array<Found, count> found;
  for (std::size_t i = 0; i < count; ++i)
    found[i] = {lay_out(names[i], shape, shape.symmetric, sets[i].shifts()), total(lengths),
                held[i]};
  return found;
}

void write_row(Diagonal& matrix, const Row& row) {
  const auto terms = std::as_const(matrix.terms).span();
  auto term = terms.begin();
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    const Index shift = row.columns[k] - row.number;
    if (!is_stored(matrix.name, matrix.shape, matrix.half, shift)) continue;
    if (term->shift != shift)
      term = std::ranges::lower_bound(term, terms.end(), shift, {}, &DiagonalTerm::shift);
    matrix.values[term->base + row.number] = row.values[k];
    if (term + 1 != terms.end()) ++term;
  }
}

}  // namespace

MemoryUse plan_diagonal(const RowSource& rows, std::span<const Column> lengths,
                        const FormatOptions& options, const base::Backend& host) {
  const auto [found] =
      find_diagonals(rows, lengths, std::array<std::string_view, 1>{options.format}, host);
  return found.layout.memory(found.held);
}

bool has_too_many_diagonals(const RowSource& rows, std::span<const Column> lengths,
                            const base::Backend& host) {
  constexpr Index kFewElements = 1000000;
  constexpr Index kLookedAt = 2048;  // rows sampled
  constexpr double kFarTooMany = 32;
  const MatrixShape shape = rows.shape();
  const Index elements = total(lengths);
  if (elements <= kFewElements) return false;
  ShiftSet found(shape, host);
  const Index step = std::max<Index>(1, shape.rows / kLookedAt);
  const Index looked_at = shape.rows / step;
  base::for_each_chunk(looked_at, rows.grain(), host, [&](Index first, Index last) {
    std::vector<Column> columns;
    std::vector<double> values;
    for (Index row = first * step; row < last * step; row += step) {
      columns.resize(lengths[row]);
      values.resize(lengths[row]);
      rows.fill(row, row + 1, columns, values);
      for (const Column column : columns) found.add(column - row);
    }
  });
  // A symmetric matrix stores half of them.
  const double stored = static_cast<double>(found.shifts().size()) / (shape.symmetric ? 2 : 1);
  return stored * static_cast<double>(shape.rows) * sizeof(double) >
         kFarTooMany * static_cast<double>(elements) * (sizeof(double) + sizeof(Column));
}

std::array<MemoryUse, 2> plan_diagonals(const RowSource& rows, std::span<const Column> lengths,
                                        const base::Backend& host) {
  const auto [plain, compact] = find_diagonals(
      rows, lengths, std::array<std::string_view, 2>{kDiagonal, kCompactDiagonal}, host);
  return {plain.layout.memory(plain.held), compact.layout.memory(compact.held)};
}

Diagonal build_diagonal(const RowSource& rows, const FormatOptions& options,
                        const base::Backend& host) {
  const base::Array<Column> lengths = row_lengths(rows, host);
  const std::string_view name = options.format == kDiagonal ? kDiagonal : kCompactDiagonal;
  const auto [found] =
      find_diagonals(rows, lengths.span(), std::array<std::string_view, 1>{name}, host);
  Diagonal matrix = allocate_diagonal(found.layout, host);
  base::fill_bytes(matrix.values, 0);
  matrix.elements = found.elements;
  matrix.padding = found.layout.positions - found.held;
  for_each_row(rows, lengths.span(), host, [&](const Row& row) { write_row(matrix, row); });
  return matrix;
}

}  // namespace cisolve::sparse
