#pragma once

#include <span>
#include <vector>

#include "base/array.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::io {

using base::Column;
using base::Index;

/// Consecutive rows with about the requested number of elements.
struct RowPiece {
  Index first_row;
  Index last_row;  // exclusive
  Index elements;
};

/// Cuts all rows into pieces of at most `elements` elements; a longer row is a piece by itself.
std::vector<RowPiece> cut_rows(std::span<const Column> lengths, Index elements);

/// Buffers for the elements of one piece.
struct RowBuffer {
  RowBuffer(Index elements, const base::Backend& host)
      : columns(host, elements, "rows to be written"),
        values(host, elements, "rows to be written") {}

  base::Array<Column> columns;
  base::Array<double> values;
};

}  // namespace cisolve::io
