#include "io/matrices/matrix_market_body.hpp"
#include "io/matrices/matrix_market_value.hpp"

namespace cisolve::io {
namespace {

using base::concat;
using Symmetry = MatrixMarketSymmetry;

/// First stored row of a column of the array.
Index first_row(const MatrixMarketInfo& info, Index column) {
  switch (info.symmetry) {
    case Symmetry::general: return 0;
    case Symmetry::symmetric: return column;
    case Symmetry::skew_symmetric: return column + 1;
  }
  return 0;
}

/// Passes every non-zero element to `take`, mirrored ones included.
template <class Take>
void for_each_batch(const MappedFile& file, const MatrixMarketHeader& header, Take take) {
  const MatrixMarketInfo& info = header.info;
  const double mirror = info.symmetry == Symmetry::skew_symmetric ? -1 : 1;
  LineScanner lines(header.body, file.text().data() + file.text().size(), '%');
  ElementBatch batch(take);
  Index found = 0;
  for (Index column = 0; column < info.columns; ++column)
    for (Index row = first_row(info, column); row < info.rows; ++row, ++found) {
      if (!lines.next())
        throw TextProblem{lines.at(), concat("the file ends after ", found, " values; expected ",
                                             info.entries, " for its size and symmetry")};
      const double value = matrix_market_value(lines, info.field);
      lines.finish("one value per line");
      if (value == 0) continue;
      batch.add(row, column, value);
      if (info.symmetry != Symmetry::general && row != column)
        batch.add(column, row, mirror * value);
    }
  if (lines.next())
    throw TextProblem{lines.line(),
                      concat("the file has more than the ", info.entries, " values of this size ",
                             "and symmetry; expected the end of the file")};
  batch.flush();
}

}  // namespace

void fill_from_array(const MappedFile& file, const MatrixMarketHeader& header, RowFiller& rows) {
  for_each_batch(file, header, [&](auto elements) { rows.announce(elements); });
  rows.allocate();
  for_each_batch(file, header, [&](auto elements) { rows.put(elements); });
}

}  // namespace cisolve::io
