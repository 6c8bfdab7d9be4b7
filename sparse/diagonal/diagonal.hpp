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

/// The elements (i, i + shift) as far as they lie within the matrix: that of row i stands at
/// base + i among the values. So every way to store diagonals, their transposes and halves that are
/// not held look alike.
struct DiagonalTerm {
  Index base;
  Index shift;
};

/// Stored diagonals as a kernel sees them. No two terms have the same shift, and they ascend. A
/// value 0 is as good as none: x is not read for it.
struct DiagonalView {
  Index rows = 0;
  Index columns = 0;
  Index count = 0;
  const DiagonalTerm* terms = nullptr;
  const double* value = nullptr;
  bool reads_twice = false;  // most values belong to two terms
  bool lies_close = false;   // windows have several terms each

  static constexpr Index kReach = 128;  // from the first to the last shift of a window

  /// The first term whose shift is not below.
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

  /// Calls visit(column, value) for the elements of a row that belong to one of `lanes` threads.
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

/// Diagonals without column indices. HM ("diagonal") has those with an element back to back: the
/// main one, the superdiagonals ascending, the subdiagonals downwards; an element (i, j) is number
/// min(i, j) of diagonal j - i. CDM ("compact-diagonal") stacks superdiagonal k on subdiagonal
/// n - k, so that all are as long as there are rows: number i of compact diagonal
/// (j - i) mod columns is in row i. Of a symmetric matrix one half is not held.
struct Diagonal {
  using View = DiagonalView;
  std::string_view name;
  MatrixShape shape;
  bool half = false;   // each value off the middle belongs to two elements
  Index elements = 0;  // of the whole matrix
  Index padding = 0;
  base::Array<Column> diagonals;  // which ones, in the order in which they are stored
  base::Array<DiagonalTerm> terms;
  base::Array<double> values;
  bool lies_close = false;  // its terms, so that some share what they need of vectors

  bool compact() const;
  Index nonzeros() const { return elements; }
  MemoryUse memory() const;
  DiagonalView view() const {
    return {shape.rows, shape.columns, terms.size(), terms.data(), values.data(), half, lies_close};
  }
  Diagonal to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

inline constexpr std::string_view kDiagonal = "diagonal";
inline constexpr std::string_view kCompactDiagonal = "compact-diagonal";

/// What the format would hold; `options.format` is one of the two. Reads the rows.
MemoryUse plan_diagonal(const RowSource& rows, std::span<const Column> lengths,
                        const FormatOptions& options, const base::Backend& host);

/// Whether a matrix of over a million elements has so many diagonals that they would take more than
/// 32 times the bytes of these: no product would be made with them. Some of the rows tell; where
/// they do not, it is false.
bool has_far_too_many_diagonals(const RowSource& rows, std::span<const Column> lengths,
                                const base::Backend& host);

/// Plans both formats in one pass over the rows.
std::array<MemoryUse, 2> plan_diagonals(const RowSource& rows, std::span<const Column> lengths,
                                        const base::Backend& host);

Diagonal build_diagonal(const RowSource& rows, const FormatOptions& options,
                        const base::Backend& host);

/// The transposed matrix. The values stay where they are.
Diagonal transposed(Diagonal matrix);

/// The rows of such a matrix in host memory, which must outlive this; zeros are left out.
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
