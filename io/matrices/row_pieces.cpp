#include "io/matrices/row_pieces.hpp"

namespace cisolve::io {

std::vector<RowPiece> cut_rows(std::span<const Column> lengths, Index elements) {
  // Each row adds one to the weight, so that pieces of empty rows end as well.
  std::vector<RowPiece> pieces;
  Index weight = 0;
  for (Index row = 0; row < std::ssize(lengths); ++row) {
    const Index length = lengths[row];
    weight += length + 1;
    if (pieces.empty() || weight > elements) {
      pieces.push_back({row, row, 0});
      weight = length + 1;
    }
    pieces.back().last_row = row + 1;
    pieces.back().elements += length;
  }
  return pieces;
}

}  // namespace cisolve::io
