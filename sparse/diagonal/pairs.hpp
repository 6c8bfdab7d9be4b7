#pragma once

#include <vector>

#include "sparse/diagonal/layout.hpp"

// What a product of matrices in diagonals consists of, known before any value: an element (i, j) of
// A meets the elements (j, k) of B, so diagonals p and q meet in diagonal p + q, and an element of
// diagonal j - i is the one of row i. All cases of the 2024 paper's Algorithm 2 follow from these
// two rules, and those of its Algorithm 1, where diagonals are stacked, as well.
namespace cisolve::sparse {

/// A matrix of a product, or its transpose; the matrix must outlive this.
struct DiagonalOperand {
  const Diagonal& matrix;
  bool transposed = false;

  Index rows() const { return transposed ? matrix.shape.columns : matrix.shape.rows; }
  Index columns() const { return transposed ? matrix.shape.rows : matrix.shape.columns; }
  /// Ascending shifts; in host memory.
  std::vector<DiagonalTerm> terms() const;
};

/// Of row i of the result, a value of A at a + i and one of B at b + i.
struct DiagonalPair {
  Index a;
  Index b;
};

/// An output is a diagonal of the result that is written: row i of it at base + i.
struct ProductPairs {
  Index rows = 0;
  Index inner = 0;
  Index columns = 0;
  DiagonalLayout result;
  Index elements = 0;  // of the result: those that some pair reaches, and those that were there
  Index held = 0;      // of these, not by way of their partners
  std::vector<DiagonalTerm> outputs = {};  // ascending shifts
  std::vector<Index> offsets = {};         // of the pairs of each output, and their end
  std::vector<DiagonalPair> pairs = {};
  std::vector<Index> steps = {};  // of each pair: the shift of its diagonal of A, ascending

  Index first_row(Index output) const { return std::max<Index>(0, -outputs[output].shift); }
  Index last_row(Index output) const { return std::min(rows, columns - outputs[output].shift); }
  /// Where a pair has both elements: rows from `first` up to `last` of the result.
  Index first_row(Index output, Index pair) const {
    return std::max(first_row(output), -steps[pair]);
  }
  Index last_row(Index output, Index pair) const {
    return std::min(last_row(output), inner - steps[pair]);
  }
};

/// For A B; with `half` the result is symmetric and one half of it is neither held nor computed.
/// The result has these further diagonals, which need not be among those of the product.
ProductPairs pair_up(const DiagonalOperand& a, const DiagonalOperand& b, bool half,
                     const std::vector<Index>& further);

}  // namespace cisolve::sparse
