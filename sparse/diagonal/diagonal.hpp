#pragma once

#include <array>
#include <iosfwd>
#include <span>
#include <string_view>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// The elements (i, i + shift) of a matrix. The element of row i is value[base + i]. Transposes and
/// halves that are not stored use the same form.
struct DiagonalTerm {
  Index base;
  Index shift;
};

/// Stored diagonals as a kernel sees them: terms with distinct, ascending shifts. A stored 0 counts
/// as no element: x is not read for it.
struct DiagonalView {
  Index rows = 0;
  Index columns = 0;
  Index count = 0;
  const DiagonalTerm* terms = nullptr;
  const double* value = nullptr;
  bool reads_twice = false;   // most values belong to two terms
  bool is_clustered = false;  // windows of kReach shifts hold several terms each

  static constexpr Index kReach = 128;  // largest difference of shifts in a window

  /// Index of the first term with at least this shift.
  CISOLVE_HOST_DEVICE Index first_from(Index shift) const {
    Index first = 0;
    for (Index last = count; first < last;) {
      const Index middle = first + (last - first) / 2;
      if (terms[middle].shift < shift)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }

  /// Calls visit(column, value) for the elements of `row` assigned to `lane` of `lanes` threads.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit(Index row, int lane, int lanes, Visit&& visit) const {
    for (Index k = first_from(-row) + lane; k < count; k += lanes) {
      const DiagonalTerm term = terms[k];
      if (term.shift >= columns - row) return;
      const double found = value[term.base + row];
      if (found != 0) visit(row + term.shift, found);
    }
  }
};

/// Diagonals without column indices. HM ("diagonal") stores the occupied ones back to back: main,
/// superdiagonals ascending, subdiagonals descending; element (i, j) is number min(i, j) of
/// diagonal j - i. CDM ("compact-diagonal") stacks superdiagonal k on subdiagonal n - k, so that
/// each has `rows` positions: element (i, j) is number i of compact diagonal (j - i) mod columns. A
/// symmetric matrix stores one half.
struct Diagonal {
  using View = DiagonalView;
  std::string_view name;
  MatrixShape shape;
  bool half = false;   // a value off the main diagonal stands for two elements
  Index elements = 0;  // elements of the whole matrix, both halves
  Index padding = 0;
  base::Array<Column> diagonals;  // numbers of the diagonals in storage order
  base::Array<DiagonalTerm> terms;
  base::Array<double> values;
  bool is_clustered = false;  // see DiagonalView

  bool compact() const;
  Index nonzeros() const { return elements; }
  MemoryUse memory() const;
  DiagonalView view() const {
    return {shape.rows,    shape.columns, terms.size(), terms.data(),
            values.data(), half,          is_clustered};
  }
  Diagonal to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

inline constexpr std::string_view kDiagonal = "diagonal";
inline constexpr std::string_view kCompactDiagonal = "compact-diagonal";

/// Memory of the format named by `options.format` (one of the two). Reads the rows.
MemoryUse plan_diagonal(const RowSource& rows, std::span<const Column> lengths,
                        const FormatOptions& options, const base::Backend& host);

/// True if the matrix has over 10^6 elements and its diagonals, estimated from sampled rows, would
/// take over 32 times the bytes of its elements: products by diagonals would be hopeless.
bool has_too_many_diagonals(const RowSource& rows, std::span<const Column> lengths,
                            const base::Backend& host);

/// Memory of both formats, from one pass over the rows.
std::array<MemoryUse, 2> plan_diagonals(const RowSource& rows, std::span<const Column> lengths,
                                        const base::Backend& host);

Diagonal build_diagonal(const RowSource& rows, const FormatOptions& options,
                        const base::Backend& host);

/// Transposes by changing the terms; the values are not moved.
Diagonal transposed(Diagonal matrix);

/// The rows of a Diagonal in host memory (not owned, must outlive this), without its zeros.
class DiagonalRows final : public RowSource {
 public:
  explicit DiagonalRows(const Diagonal& matrix) : matrix_(matrix) {}
  MatrixShape shape() const override { return matrix_.shape; }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  const Diagonal& matrix_;
};

}  // namespace cisolve::sparse
