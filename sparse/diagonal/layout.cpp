#include "sparse/diagonal/layout.hpp"

#include <algorithm>
#include <cstdlib>

#include "sparse/formats/formulas.hpp"

namespace cisolve::sparse {
namespace {

Index held_bytes(Index positions, Index diagonals, Index terms) {
  constexpr Index most = INT64_MAX / Index{sizeof(double)} / 2;
  if (positions > most) return INT64_MAX;
  return positions * Index{sizeof(double)} + diagonals * Index{sizeof(Column)} +
         terms * Index{sizeof(DiagonalTerm)};
}

/// Storage order: main diagonal, superdiagonals ascending, subdiagonals descending.
bool precedes(Index a, Index b) {
  if ((a >= 0) != (b >= 0)) return a >= 0;
  return a >= 0 ? a < b : a > b;
}

/// Number of the compact diagonal; if `half`, of the stored one of the mirrored pair.
Index compact_number(const MatrixShape& shape, bool half, Index shift) {
  const Index number = shift < 0 ? shape.columns - 1 - (-shift - 1) % shape.columns : shift;
  return half && 2 * number > shape.columns ? shape.columns - number : number;
}

void add_diagonal(DiagonalLayout& layout, Index shift) {
  const Index base = layout.positions - std::max<Index>(0, -shift);
  layout.diagonals.push_back(static_cast<Column>(shift));
  layout.terms.push_back({base, shift});
  if (layout.half && shift > 0) layout.terms.push_back({base - shift, -shift});
  layout.positions += diagonal_length(layout.shape, shift);
}

/// A missing stacked partner contributes zeros and no term.
void add_compact(DiagonalLayout& layout, Index number, const std::vector<Index>& present) {
  const auto& [rows, columns, reference, symmetric] = layout.shape;
  const Index base = layout.positions;
  layout.diagonals.push_back(static_cast<Column>(number));
  for (Index shift = number; shift > -rows; shift -= columns) {
    if (!std::ranges::binary_search(present, shift)) continue;
    layout.terms.push_back({base, shift});
    if (layout.half && number > 0 && 2 * number != columns)
      layout.terms.push_back({base - shift, -shift});
  }
  layout.positions += rows;
}

}  // namespace

Index diagonal_length(const MatrixShape& shape, Index shift) {
  return std::max<Index>(0,
                         std::min(shape.rows, shape.columns - shift) - std::max<Index>(0, -shift));
}

DiagonalLayout lay_out(std::string_view name, const MatrixShape& shape, bool half,
                       std::vector<Index> shifts) {
  DiagonalLayout layout{.name = name, .shape = shape, .half = half};
  const bool compact = name == kCompactDiagonal;
  std::ranges::sort(shifts);
  std::vector<Index> order;
  for (const Index shift : shifts)
    if (compact)
      order.push_back(compact_number(shape, half, shift));
    else if (!half || shift >= 0)
      order.push_back(shift);
  std::ranges::sort(order, precedes);
  order.erase(std::ranges::unique(order).begin(), order.end());
  for (const Index diagonal : order)
    compact ? add_compact(layout, diagonal, shifts) : add_diagonal(layout, diagonal);
  std::ranges::sort(layout.terms, {}, &DiagonalTerm::shift);
  return layout;
}

bool is_stored(std::string_view name, const MatrixShape& shape, bool half, Index shift) {
  if (!half) return true;
  if (name == kDiagonal) return shift >= 0;
  const Index number = shift < 0 ? shift + shape.columns : shift;
  return 2 * number <= shape.columns;
}

bool is_mirrored(std::string_view name, const MatrixShape& shape, bool half, Index shift) {
  const bool is_middle = name == kCompactDiagonal && 2 * std::abs(shift) == shape.columns;
  return half && shift != 0 && !is_middle;
}

MemoryUse DiagonalLayout::memory(Index held_elements) const {
  const Index count = std::ssize(diagonals);
  return {name == kCompactDiagonal ? compact_diagonal_bytes(positions, count)
                                   : diagonal_bytes(positions, count),
          held_bytes(positions, count, std::ssize(terms)), positions - held_elements};
}

bool DiagonalLayout::is_clustered() const {
  constexpr Index kTerms = 4;  // terms per window, so that a window is worth its barriers
  Index windows = 0;
  for (std::size_t first = 0, t = 0; t < terms.size(); ++t)
    if (t == 0 || terms[t].shift > terms[first].shift + DiagonalView::kReach) {
      first = t;
      ++windows;
    }
  return std::ssize(terms) >= kTerms * windows;
}

Diagonal allocate_diagonal(const DiagonalLayout& layout, const base::Backend& backend) {
  return {
      layout.name,
      layout.shape,
      layout.half,
      0,
      0,
      base::Array<Column>::copy_of(layout.diagonals, backend, "the numbers of the diagonals"),
      base::Array<DiagonalTerm>::copy_of(layout.terms, backend, "the positions of the diagonals"),
      base::Array<double>(backend, layout.positions, "the values of the diagonals"),
      layout.is_clustered()};
}

}  // namespace cisolve::sparse
