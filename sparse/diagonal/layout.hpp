#pragma once

#include <vector>

#include "sparse/diagonal/diagonal.hpp"

// The diagonals that a matrix stores and their positions, determined before any value.
namespace cisolve::sparse {

struct DiagonalLayout {
  std::string_view name;
  MatrixShape shape;
  bool half = false;
  std::vector<Column> diagonals = {};    // numbers in storage order
  std::vector<DiagonalTerm> terms = {};  // ascending shifts
  Index positions = 0;                   // positions of all diagonals together

  MemoryUse memory(Index held_elements) const;
  bool is_clustered() const;
};

/// Number of elements of a diagonal within a matrix.
Index diagonal_length(const MatrixShape& shape, Index shift);

/// Layout of the diagonals with these shifts, in any order. The partner stacked on a compact
/// diagonal becomes a term only if it is among them. If `half`, superdiagonals represent
/// subdiagonals too.
DiagonalLayout lay_out(std::string_view name, const MatrixShape& shape, bool half,
                       std::vector<Index> shifts);

/// True if elements of this diagonal are stored themselves, not through their mirror image.
bool is_stored(std::string_view name, const MatrixShape& shape, bool half, Index shift);

/// True if each stored element of this diagonal represents its mirror image as well.
bool is_mirrored(std::string_view name, const MatrixShape& shape, bool half, Index shift);

/// Allocates the matrix; the values are not initialised.
Diagonal allocate_diagonal(const DiagonalLayout& layout, const base::Backend& backend);

}  // namespace cisolve::sparse
