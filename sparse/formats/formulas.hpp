#pragma once

#include "sparse/formats/options.hpp"

// Bytes of each format by the 2018 paper's count: 8 per value, 4 per index, whatever widths are
// really stored. CSR, ELLPACK and hybrid are the paper's equations; the others follow from its
// descriptions. A size beyond 64 bits saturates at the largest Index, which exceeds every budget.
namespace cisolve::sparse {

/// Values and columns of the non-zeros, and rows + 1 row pointers.
Index csr_bytes(Index rows, Index nonzeros);

/// Values and columns of every row, padded to the longest one.
Index ellpack_bytes(Index rows, Index longest_row);

/// ELLPACK and the length of each row.
Index ellpack_r_bytes(Index rows, Index longest_row);

/// `stored` is the sum over slices of rows times longest row. Each stored position has a value and
/// a column; each slice, and the end of the last, has a pointer.
Index sliced_bytes(Index stored, Index slices);

/// Sliced ELLPACK and the length of each row.
Index sliced_r_bytes(Index stored, Index slices, Index rows);

/// Sliced ELLPACK with one byte per value, a table of the distinct values, and the part of the
/// diagonal that is stored separately.
Index coded_sliced_bytes(Index stored, Index slices, Index table, Index diagonal);

/// A value and two 2-byte indices within the block for each non-zero, and blocks + 1 pointers.
Index csb_bytes(Index nonzeros, Index blocks);

/// A value and a 2-byte index per stored position; per cell a pointer to its runs of columns and,
/// for each of 16 warps, a length and 32 2-byte rows; per run a column and two 2-byte positions;
/// per block a row, a cell and 16 pointers.
Index tiled_bytes(Index stored, Index cells, Index runs, Index blocks);

/// Like tiled_bytes, with a 2-byte code in place of each value, plus the table of magnitudes.
Index coded_tiled_bytes(Index stored, Index cells, Index runs, Index blocks, Index magnitudes);

/// HM: stored positions, and the number and start of each diagonal.
Index diagonal_bytes(Index stored, Index diagonals);

/// CDM (diagonals of equal length): stored positions and the numbers of the diagonals.
Index compact_diagonal_bytes(Index stored, Index diagonals);

/// An ELLPACK part of `boundary` positions per row, a CSR part, and three indices per row: begin
/// and end of its CSR part and its number of non-zeros.
Index hybrid_bytes(Index rows, Index boundary, Index csr_nonzeros);

/// Memory of a format with `offsets` 8-byte offsets that the formula counts as 4 bytes each.
MemoryUse with_wide_offsets(Index by_formula, Index offsets, Index padding);

}  // namespace cisolve::sparse
