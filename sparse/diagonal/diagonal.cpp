#include "sparse/diagonal/diagonal.hpp"

#include <algorithm>
#include <vector>

#include "sparse/diagonal/layout.hpp"
#include "sparse/formats/components.hpp"
#include "sparse/formats/formulas.hpp"

namespace cisolve::sparse {

bool Diagonal::compact() const { return name == kCompactDiagonal; }

MemoryUse Diagonal::memory() const {
  const Index formula = compact() ? compact_diagonal_bytes(values.size(), diagonals.size())
                                  : diagonal_bytes(values.size(), diagonals.size());
  return {formula, values.bytes() + diagonals.bytes() + terms.bytes(), padding};
}

Diagonal Diagonal::to(const base::Backend& target) const {
  return {name,
          shape,
          half,
          elements,
          padding,
          diagonals.to(target),
          terms.to(target),
          values.to(target),
          is_clustered};
}

// Names of the 2024 paper; HM adds the start of each diagonal.
void Diagonal::write_components(std::ostream& out) const {
  const Diagonal on_host = to(values.backend().host());
  std::vector<Index> starts;
  Index next = 0;
  for (const Column diagonal : on_host.diagonals.span()) {
    starts.push_back(next);
    next += compact() ? shape.rows : diagonal_length(shape, diagonal);
  }
  out << "dgX = " << diagonals.size() << '\n';
  write_list(out, "DsX", on_host.diagonals.span());
  write_list(out, "Xlist", on_host.values.span());
  if (!compact()) write_list(out, "StartDgX", std::span<const Index>(starts));
}

Diagonal transposed(Diagonal matrix) {
  if (matrix.half) return matrix;
  const base::Backend& backend = matrix.values.backend();
  const base::Array<DiagonalTerm> old = matrix.terms.to(backend.host());
  std::vector<DiagonalTerm> terms;
  for (const auto& [base, shift] : old.span()) terms.push_back({base - shift, -shift});
  std::ranges::reverse(terms);
  const base::Array<Column> numbers = matrix.diagonals.to(backend.host());
  std::vector<Column> diagonals;
  for (const Column number : numbers.span())
    diagonals.push_back(matrix.compact() && number != 0
                            ? static_cast<Column>(matrix.shape.columns - number)
                            : -number);
  matrix.terms =
      base::Array<DiagonalTerm>::copy_of(terms, backend, "the positions of the diagonals");
  matrix.diagonals =
      base::Array<Column>::copy_of(diagonals, backend, "the numbers of the diagonals");
  std::swap(matrix.shape.rows, matrix.shape.columns);
  matrix.shape.reference_columns = 0;
  return matrix;
}

void DiagonalRows::count(Index first, std::span<Column> lengths) const {
  const DiagonalView view = matrix_.view();
  for (Column& length : lengths) {
    length = 0;
    view.visit(first++, 0, 1, [&](Index, double) { ++length; });
  }
}

void DiagonalRows::fill(Index first, Index last, std::span<Column> columns,
                        std::span<double> values) const {
  const DiagonalView view = matrix_.view();
  Index k = 0;
  for (Index row = first; row < last; ++row)
    view.visit(row, 0, 1, [&](Index column, double value) {
      columns[k] = static_cast<Column>(column);
      values[k++] = value;
    });
}

}  // namespace cisolve::sparse
