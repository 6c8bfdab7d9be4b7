#pragma once

#include <cstdint>

#include "base/array.hpp"
#include "bench/products/workload.hpp"

// CSR5 (Liu and Vinter 2015), our own implementation: the elements in row order are cut into tiles
// of 32 x sigma, and each tile is transposed, so that a lane processes sigma consecutive elements
// while its warp reads neighbouring words. Flags mark the elements that begin a row.
namespace cisolve::bench {

constexpr int kCsr5Lanes = 32;

struct Csr5View {
  Index tiles;
  int sigma;
  const Column* column;        // tile by tile, 32 at a time; -1 beyond the last element
  const double* value;         // in the order of `column`
  const std::uint32_t* flags;  // per lane, one bit for each element: whether it begins a row
  const std::uint16_t* skip;   // rows that begin in earlier lanes
  const Column* rows_before;   // non-empty rows that begin before the tile
  const Column* row_numbers;   // numbers of the non-empty rows; null if no row is empty
  Index empty_rows;
  const Column* empty_row;
};

struct Csr5 {
  int sigma;
  base::Array<Column> columns;
  base::Array<double> values;
  base::Array<std::uint32_t> flags;
  base::Array<std::uint16_t> skips;
  base::Array<Column> rows_before;
  base::Array<Column> row_numbers;  // empty if no row is empty
  base::Array<Column> empty_rows;

  Index tiles() const { return rows_before.size(); }
  Index bytes() const;
  Csr5View view() const;
  Csr5 to(const base::Backend& target) const;
};

/// Elements per lane, by the mean row length: the authors' best choice on a GPU.
int csr5_sigma(double mean_row);

/// Builds the matrix on the host.
Csr5 build_csr5(const Workload& matrix, int sigma);

}  // namespace cisolve::bench
