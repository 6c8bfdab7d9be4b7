#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/backend.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

enum class GeneratedPattern { ci, banded, diagonals };

constexpr std::string_view name_of(GeneratedPattern pattern) {
  switch (pattern) {
    case GeneratedPattern::ci: return "ci";
    case GeneratedPattern::banded: return "banded";
    case GeneratedPattern::diagonals: return "diagonals";
  }
  return "unknown";
}

/// A matrix with the structure of a CI matrix: a dense Reference region at the left, a sparse
/// Expansion space at its right. Or a matrix of full diagonals, which uses rows, seed, symmetric
/// and diagonals only.
struct GeneratorOptions {
  Index rows = 0;  // rows, and columns
  double reference_share = 0.1;
  Index reference_per_row = 0;  // non-zeros per row in the Reference region
  double density = 0;           // density of the Expansion space, 0 to 1
  double spread = 0;            // standard deviation of its row lengths, in non-zeros
  std::uint64_t seed = 1;
  bool symmetric = false;
  GeneratedPattern pattern = GeneratedPattern::ci;
  Index diagonals = 9;  // total number, main diagonal included (patterns banded and diagonals)
};

/// round(reference_share * rows): number of leading columns in the Reference region.
Index reference_columns(const GeneratorOptions& options);

/// Lower estimate of the non-zeros without drawing any: nine tenths of the expectation, with row
/// lengths clipped to the matrix.
double least_nonzeros(const GeneratorOptions& options);

/// Rows of a random matrix, computed on demand. Each is a function of the options alone, so any
/// range of rows, on any number of threads, is bitwise the same. Library functions whose last bits
/// differ between machines are not used.
///
/// General: every row has exactly `reference_per_row` non-zeros in the Reference region and
/// round(normal(density * columns, spread)), clipped, in the Expansion space. Columns are uniform,
/// values uniform in (-1, 1) and never 0.
///
/// Symmetric: a dense left tenth implies a dense top tenth. Element (i, j) exists with probability
/// reference_per_row / reference_columns if i or j is in the Reference region, else with
/// probability density * (g_i + g_j - 1), g normal about 1, so that rows below the reference have
/// the requested mean and spread; the spread cannot fall below the binomial one, sqrt(mean * (1 -
/// density)). The diagonal is complete and resembles that of a CI Hamiltonian: H_ii = log2(1 + i),
/// interpolated linearly between powers of two, plus noise of 1/8. Other elements are uniform in
/// (-s, s) with s = 1 / sqrt(expected length of the longest rows): their own spectrum is within
/// about 1.2 of 0 while the diagonal spans log2(rows), so the lowest states are well separated and
/// each is dominated by one of the first unit vectors.
///
/// Banded: the main diagonal and its nearest neighbours; if their number is even, one more above
/// than below. Diagonals: the main one and randomly drawn others. Values are uniform in (-1, 1).
class GeneratedRows final : public RowSource {
 public:
  /// Throws ErrorKind::configuration for impossible options. The symmetric form allocates one
  /// double per row on `host`.
  GeneratedRows(const GeneratorOptions& options, const base::Backend& host);

  MatrixShape shape() const override { return rows_->shape(); }
  Index grain() const override { return rows_->grain(); }
  void count(Index first, std::span<Column> lengths) const override {
    rows_->count(first, lengths);
  }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    rows_->fill(first, last, columns, values);
  }

 private:
  std::unique_ptr<const RowSource> rows_;
};

}  // namespace cisolve::sparse
