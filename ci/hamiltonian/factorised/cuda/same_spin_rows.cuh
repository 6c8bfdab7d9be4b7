#pragma once

#include <cstdint>

#include "base/block.hpp"
#include "base/cuda/bulk_copies.cuh"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

// Rows of x that string matrices multiply, and of y that these make.
namespace cisolve::ci::cuda {

using base::cuda::copy_later;
using base::cuda::copy_sixteen_later;

/// The rows of alpha strings of a list as a matrix: the alpha strings in the order of their string
/// matrix, the beta strings in that of the list.
struct SameSpinRows {
  const Index* first_rows;  // of each alpha string in x
  const Index* rows_of_y;   // of each that is worked on in y
  const Index* places;      // of beta strings, in the order of their string matrix
  Index alphas;
  Index betas;
  base::ConstBlock x;
  base::Block y;
};

/// How a warp copies its rows of a stage, each of 128 columns, where that cannot be done as a
/// whole. row_of(i) is the matrix's column for row i, -1 where there is none.
template <int kRows, class Over, class RowOf>
__device__ void fetch_rows(const Over& over, const RowOf& row_of, Index begin, int j, int warp,
                           int lane, double* stage, int stride) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = kRows * warp + i;
    const Index k = row_of(row);
    const double* from = over.row(over.place(max(k, Index{0})), j) + begin;
    if (k >= 0 && begin + 128 <= over.width() && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      double* to = stage + row * stride + 2 * lane;
      copy_sixteen_later(to, from + 2 * lane);
      copy_sixteen_later(to + 64, from + 64 + 2 * lane);
      continue;
    }
#pragma unroll
    for (int column = lane; column < 128; column += 32) {
      const bool is_there = k >= 0 && begin + column < over.width();
      copy_later(stage + row * stride + column, is_there ? from + column : over.row(0, j),
                 is_there);
    }
  }
}

/// y = A x for alpha strings: the matrix takes from rows, each beta string is a column.
struct AlphaMatrixSide {
  SameSpinRows b;
  __device__ Index columns() const { return b.betas; }
  __device__ Index width() const { return b.betas; }  // of what is copied of a row
  __device__ Index place(Index k) const { return b.first_rows[k]; }
  __device__ const double* row(Index place, int j) const { return b.x.column(j) + place; }
  __device__ void put(Index k, Index column, int j, double sum) const {
    b.y(b.rows_of_y[k] + column, j) = sum;
  }
};

/// y += A x for beta strings, each alpha string is a column: of one vector, turned so that beta
/// strings have rows.
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
