#pragma once

#include <cstdint>

#include "base/block.hpp"
#include "base/cuda/bulk_copies.cuh"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

// Rows of x that a SameSpinMatrix reads, and rows of y that it writes.
namespace cisolve::ci::cuda {

using base::cuda::copy_later;
using base::cuda::copy_sixteen_later;

/// The rows of a SameSpinBlock as a matrix: alpha strings in the order of their SameSpinMatrix,
/// beta strings in the order of their list.
struct SameSpinRows {
  const Index* first_rows;  // first row in x of each alpha string
  const Index* rows_of_y;   // first row in y of each own string
  const Index* places;      // beta strings within a row, in the order of their SameSpinMatrix
  Index alphas;
  Index betas;
  base::ConstBlock x;
  base::Block y;
};

/// Copies a warp's rows of a stage, 128 columns each, if bulk copies are impossible. row_of(i) is
/// the matrix's column for row i; -1: none.
template <int kRows, class Side, class RowOf>
__device__ void fetch_rows(const Side& side, const RowOf& row_of, Index begin, int j, int warp,
                           int lane, double* stage, int stride) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = kRows * warp + i;
    const Index k = row_of(row);
    const double* from = side.row(side.place(max(k, Index{0})), j) + begin;
    if (k >= 0 && begin + 128 <= side.width() && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      double* to = stage + row * stride + 2 * lane;
      copy_sixteen_later(to, from + 2 * lane);
      copy_sixteen_later(to + 64, from + 64 + 2 * lane);
      continue;
    }
#pragma unroll
    for (int column = lane; column < 128; column += 32) {
      const bool is_there = k >= 0 && begin + column < side.width();
      copy_later(stage + row * stride + column, is_there ? from + column : side.row(0, j),
                 is_there);
    }
  }
}

/// sigma_alpha: y = A x. Rows of x are alpha strings, columns beta strings.
struct AlphaMatrixSide {
  SameSpinRows b;
  __device__ Index columns() const { return b.betas; }
  __device__ Index width() const { return b.betas; }  // columns of a row to copy
  __device__ Index place(Index k) const { return b.first_rows[k]; }
  __device__ const double* row(Index place, int j) const { return b.x.column(j) + place; }
  __device__ void put(Index k, Index column, int j, double sum) const {
    b.y(b.rows_of_y[k] + column, j) = sum;
  }
};

/// sigma_beta: y += B x for one vector, transposed: rows of x are beta strings, columns alpha
/// strings.
struct BetaMatrixSide {
  SameSpinRows b;
  const double* transposed;
  __device__ Index columns() const { return b.alphas; }
  __device__ Index width() const { return TransposedRows::width(b.alphas); }
  __device__ Index place(Index k) const { return k * width(); }
  __device__ const double* row(Index place, int /*j*/) const { return transposed + place; }
  __device__ void put(Index k, Index column, int j, double sum) const {
    b.y(b.rows_of_y[column] + b.places[k], j) += sum;
  }
};

}  // namespace cisolve::ci::cuda
