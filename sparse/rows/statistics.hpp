#pragma once

#include <iosfwd>

#include "base/array.hpp"
#include "sparse/rows/row_source.hpp"

// The shape of a matrix in numbers, as the 2018 paper gives it in its Tables 3 and 4. Regions are
// by column: the leading reference_columns are the Reference region, the rest the Expansion space.
namespace cisolve::sparse {

struct RegionStatistics {
  Index columns = 0;
  Index nonzeros = 0;
  Index shortest_row = 0;  // non-zeros of a row within the region
  Index longest_row = 0;
  double mean_row = 0;
  double sparsity = 0;  // the share of the region that is zero; 0 for a region without positions
};

struct Statistics {
  MatrixShape shape;
  RegionStatistics reference;
  RegionStatistics expansion;
  RegionStatistics whole;

  Index longest_row_index =
      -1;  // the first of the longest rows, from 0; -1 where there are no rows

  // (1/n) sum |length - mean|, and 100 times that over the mean; 0 where there is no non-zero.
  double average_deviation = 0;
  double average_deviation_percent = 0;

  base::Array<Column> reference_lengths;  // non-zeros of each row
  base::Array<Column> expansion_lengths;
};

/// In parallel, in two passes over the rows, holding no more of the matrix than a chunk a thread.
Statistics describe(const RowSource& rows, const base::Backend& host);

/// A table for people: rows are counted from 1, numbers are written with a point in any locale.
void write(std::ostream& out, const Statistics& statistics);

}  // namespace cisolve::sparse
