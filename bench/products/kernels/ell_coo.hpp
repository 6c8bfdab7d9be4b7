#pragma once

#include "base/array.hpp"
#include "bench/products/workload.hpp"

// ELLPACK for the length that most rows have and coordinates for the rest (HYB), as in earlier
// versions of cuSPARSE (Bell and Garland 2009).
namespace cisolve::bench {

struct EllCooView {
  Index rows;
  Index width;
  const Column* ell_column;  // column by column; -1 ends a row
  const double* ell_value;
  Index rest;
  const Column* row;
  const Column* column;
  const double* value;
};

struct EllCoo {
  Index rows;
  Index width;
  base::Array<Column> ell_columns;
  base::Array<double> ell_values;
  base::Array<Column> coo_rows;
  base::Array<Column> coo_columns;
  base::Array<double> coo_values;

  EllCooView view() const;
  Index bytes() const;
  EllCoo to(const base::Backend& target) const;
};

/// The largest ELLPACK width at which a third of the rows, and enough to fill a device, fill each
/// column: a position there is three times as fast as a coordinate.
Index ell_coo_width(const Workload& matrix);

/// Builds the matrix on the host.
EllCoo build_ell_coo(const Workload& matrix, Index width);

}  // namespace cisolve::bench
