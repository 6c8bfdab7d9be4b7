#pragma once

#include <vector>

#include "sparse/diagonal/diagonal.hpp"

// Which diagonals there are and where each of them stands, known before any value.
namespace cisolve::sparse {

struct DiagonalLayout {
  std::string_view name;
  MatrixShape shape;
  bool half = false;
  std::vector<Column> diagonals = {};    // in the order in which they are stored
  std::vector<DiagonalTerm> terms = {};  // ascending shifts
  Index positions = 0;                   // of all of them

  MemoryUse memory(Index held_elements) const;
  bool lies_close() const;
};

/// How many elements the diagonal has within a matrix.
Index diagonal_length(const MatrixShape& shape, Index shift);

/// Of the diagonals with these shifts, in any order; what a compact one is stacked with is a term
/// only where it is among them. With `half` those above the main one stand for those below as well.
DiagonalLayout lay_out(std::string_view name, const MatrixShape& shape, bool half,
                       std::vector<Index> shifts);

/// Whether an element of the diagonal stands for itself, not by way of its partner.
bool holds(std::string_view name, const MatrixShape& shape, bool half, Index shift);

/// Whether its elements stand for their partners as well.
bool stands_for_two(std::string_view name, const MatrixShape& shape, bool half, Index shift);

/// Room for it; the values are not initialised.
Diagonal allocate_diagonal(const DiagonalLayout& layout, const base::Backend& backend);

}  // namespace cisolve::sparse
