#include "sparse/formats/formulas.hpp"

namespace cisolve::sparse {
namespace {

constexpr Index kValue = 8;
constexpr Index kIndex = 4;
constexpr Index kElement = kValue + kIndex;
constexpr Index kShortIndex = 2;

constexpr Index kLargest = INT64_MAX;

// Saturating sums and products of non-negative sizes.
Index plus(Index a, Index b) { return a > kLargest - b ? kLargest : a + b; }
Index times(Index a, Index b) { return b != 0 && a > kLargest / b ? kLargest : a * b; }

}  // namespace

Index csr_bytes(Index rows, Index nonzeros) {
  return plus(times(nonzeros, kElement), times(plus(rows, 1), kIndex));
}

Index ellpack_bytes(Index rows, Index longest_row) {
  return times(times(rows, longest_row), kElement);
}

Index ellpack_r_bytes(Index rows, Index longest_row) {
  return plus(ellpack_bytes(rows, longest_row), times(rows, kIndex));
}

Index sliced_bytes(Index stored, Index slices) {
  return plus(times(stored, kElement), times(plus(slices, 1), kIndex));
}

Index sliced_r_bytes(Index stored, Index slices, Index rows) {
  return plus(sliced_bytes(stored, slices), times(rows, kIndex));
}

Index coded_sliced_bytes(Index stored, Index slices, Index table, Index diagonal) {
  constexpr Index code = 1;
  return plus(plus(times(stored, code + kIndex), times(plus(slices, 1), kIndex)),
              times(plus(table, diagonal), kValue));
}

Index csb_bytes(Index nonzeros, Index blocks) {
  return plus(times(nonzeros, kValue + 2 * kShortIndex), times(plus(blocks, 1), kIndex));
}

namespace {

/// Bytes of the tiled format besides its elements.
Index overhead_bytes(Index cells, Index runs, Index blocks) {
  constexpr Index warps = 16;
  constexpr Index cell = kIndex + warps * (kIndex + 32 * kShortIndex);
  constexpr Index run = kIndex + 2 * kShortIndex;
  constexpr Index block = 2 * kIndex + warps * kIndex;
  return plus(times(cells, cell), plus(times(runs, run), times(blocks, block)));
}

}  // namespace

Index tiled_bytes(Index stored, Index cells, Index runs, Index blocks) {
  return plus(times(stored, kValue + kShortIndex), overhead_bytes(cells, runs, blocks));
}

Index coded_tiled_bytes(Index stored, Index cells, Index runs, Index blocks, Index magnitudes) {
  return plus(plus(times(stored, 2 * kShortIndex), times(magnitudes, kValue)),
              overhead_bytes(cells, runs, blocks));
}

Index diagonal_bytes(Index stored, Index diagonals) {
  return plus(times(stored, kValue), times(diagonals, 2 * kIndex));
}

Index compact_diagonal_bytes(Index stored, Index diagonals) {
  return plus(times(stored, kValue), times(diagonals, kIndex));
}

Index hybrid_bytes(Index rows, Index boundary, Index csr_nonzeros) {
  return plus(plus(times(rows, 3 * kIndex), ellpack_bytes(rows, boundary)),
              times(csr_nonzeros, kElement));
}

MemoryUse with_wide_offsets(Index by_formula, Index offsets, Index padding) {
  constexpr Index kMissing = sizeof(Index) - kIndex;
  return {by_formula, plus(by_formula, times(offsets, kMissing)), padding};
}

}  // namespace cisolve::sparse
