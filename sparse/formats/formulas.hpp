#pragma once

#include "sparse/formats/options.hpp"

// The bytes of each format as the 2018 paper counts them: 8 for a value, 4 for an index, whatever
// the widths that we really hold. CSR, ELLPACK and hybrid are the paper's own equations; the others
// follow from its descriptions of the formats. A size beyond 64 bits is given as the largest Index,
// which every budget refuses.
namespace cisolve::sparse {

/// Values and columns of the non-zeros, and rows + 1 row pointers.
Index csr_bytes(Index rows, Index nonzeros);

/// Values and columns of every row, padded to the longest one.
Index ellpack_bytes(Index rows, Index longest_row);

/// ELLPACK and the length of each row.
Index ellpack_r_bytes(Index rows, Index longest_row);

/// `stored` is the sum over the slices of their rows times the longest row among them. Each stored
/// position has a value and a column; each slice, and the end of the last, has a pointer.
Index sliced_bytes(Index stored, Index slices);

/// Sliced ELLPACK and the length of each row.
Index sliced_r_bytes(Index stored, Index slices, Index rows);

/// Sliced ELLPACK with a byte for each value, a table of those that there are, and what is held of
/// the diagonal.
Index coded_sliced_bytes(Index stored, Index slices, Index table, Index diagonal);

/// A value and two 2-byte indices within the block for each non-zero, and blocks + 1 pointers.
Index csb_bytes(Index nonzeros, Index blocks);

/// A value and a 2-byte index for each stored position; for each cell a pointer to its runs of
/// columns, for each of its 16 warps a length and 32 2-byte rows; for each run a column and two
/// 2-byte places; for each block a row, a cell and 16 pointers.
Index tiled_bytes(Index stored, Index cells, Index runs, Index blocks);

/// The same with a 2-byte code in place of each value, and the magnitudes that the codes mean.
Index coded_tiled_bytes(Index stored, Index cells, Index runs, Index blocks, Index magnitudes);

/// HM: the stored positions, and for each diagonal its number and where it starts.
Index diagonal_bytes(Index stored, Index diagonals);

/// CDM, whose diagonals are all as long: the stored positions and the numbers of the diagonals.
Index compact_diagonal_bytes(Index stored, Index diagonals);

/// An ELLPACK part of `boundary` positions a row, a CSR part, and three indices a row: where its
/// CSR part starts and ends, and how many non-zeros it has in all.
Index hybrid_bytes(Index rows, Index boundary, Index csr_nonzeros);

/// What a format really holds whose formula counts 4 bytes for each of so many offsets into the
/// non-zeros: they take 8.
MemoryUse with_wide_offsets(Index by_formula, Index offsets, Index padding);

}  // namespace cisolve::sparse
