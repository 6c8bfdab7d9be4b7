#pragma once

#include <vector>

#include "sparse/diagonal/layout.hpp"

// Structure of a product of matrices in diagonals, known before any value. Element (i, j) of A
// meets (j, k) of B, so diagonals p of A and q of B contribute to diagonal p + q. These two rules
// cover all cases of the 2024 paper's Algorithm 2, and of Algorithm 1 (stacked diagonals).
namespace cisolve::sparse {

/// An operand, or its transpose; the matrix is not owned and must outlive this.
struct DiagonalOperand {
  const Diagonal& matrix;
  bool transposed = false;

  Index rows() const { return transposed ? matrix.shape.columns : matrix.shape.rows; }
  Index columns() const { return transposed ? matrix.shape.rows : matrix.shape.columns; }
  /// Terms with ascending shifts, in host memory.
  std::vector<DiagonalTerm> terms() const;
};

/// A pair of diagonals: in row i of the result, A's value at a + i is multiplied by B's value at b
/// + i.
struct DiagonalPair {
  Index a;
  Index b;
};

/// All pairs of a product. An output is a diagonal of the result that is written, row i at base +
/// i.
struct ProductPairs {
  Index rows = 0;
  Index inner = 0;
  Index columns = 0;
  DiagonalLayout result;
  Index elements = 0;  // elements of the result: reached by some pair, or on a further diagonal
  Index held = 0;      // stored elements of the result, without their mirror images
  std::vector<DiagonalTerm> outputs = {};  // ascending shifts
  std::vector<Index> offsets = {};         // first pair of each output, and the end
  std::vector<DiagonalPair> pairs = {};
  std::vector<Index> steps =
      {};  // for each pair: shift of its diagonal of A; ascending within an output

  Index first_row(Index output) const { return std::max<Index>(0, -outputs[output].shift); }
  Index last_row(Index output) const { return std::min(rows, columns - outputs[output].shift); }
  /// Rows first_row up to last_row (exclusive) of the result in which both factors exist.
  Index first_row(Index output, Index pair) const {
    return std::max(first_row(output), -steps[pair]);
  }
  Index last_row(Index output, Index pair) const {
    return std::min(last_row(output), inner - steps[pair]);
  }
};

/// Pairs of A B. If `half`, the result is symmetric and one half is neither stored nor computed.
/// The result gets the `further` diagonals in addition to those of the product.
ProductPairs pair_up(const DiagonalOperand& a, const DiagonalOperand& b, bool half,
                     const std::vector<Index>& further);

}  // namespace cisolve::sparse
