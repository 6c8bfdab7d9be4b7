#pragma once

#include <iosfwd>

#include "base/array.hpp"
#include "sparse/rows/row_source.hpp"

// Statistics of a matrix as in Tables 3 and 4 of the 2018 paper. Regions are column ranges: the
// leading reference_columns are the Reference region, the rest the Expansion space.
namespace cisolve::sparse {

struct RegionStatistics {
  Index columns = 0;
  Index nonzeros = 0;
  Index shortest_row = 0;  // non-zeros of a row within the region
  Index longest_row = 0;
  double mean_row = 0;
  double sparsity = 0;  // fraction of zeros in the region; 0 for an empty region
};

struct Statistics {
  MatrixShape shape;
  RegionStatistics reference;
  RegionStatistics expansion;
  RegionStatistics whole;

  Index longest_row_index = -1;  // the first of the longest rows, from 0; -1 without rows

  // (1/n) sum |length - mean|, and 100 times that over the mean; 0 without non-zeros.
  double average_deviation = 0;
  double average_deviation_percent = 0;

  base::Array<Column> reference_lengths;  // non-zeros of each row
  base::Array<Column> expansion_lengths;
};

/// Runs in parallel, in two passes over the rows; each thread holds a single chunk of the matrix.
Statistics describe(const RowSource& rows, const base::Backend& host);

/// Writes a table for readers: rows are counted from 1; numbers are independent of the locale.
void write(std::ostream& out, const Statistics& statistics);

}  // namespace cisolve::sparse
