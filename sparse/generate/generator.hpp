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
/// Expansion space at its right. Or one of full diagonals, which heeds rows, seed, symmetric and
/// how many of them there are.
struct GeneratorOptions {
  Index rows = 0;  // and columns
  double reference_share = 0.1;
  Index reference_per_row = 0;  // non-zeros of each row in the reference region
  double density = 0;           // of the expansion space
  double spread = 0;            // standard deviation of the row lengths there, in non-zeros
  std::uint64_t seed = 1;
  bool symmetric = false;
  GeneratedPattern pattern = GeneratedPattern::ci;
  Index diagonals = 9;  // of banded ones and those of diagonals, the main one among them
};

/// round(share * rows), the leading columns that are the reference region.
Index reference_columns(const GeneratorOptions& options);

/// The non-zeros of such a matrix, known without drawing any: nine tenths of what is to be expected
/// where a row cannot be longer than it is.
double least_nonzeros(const GeneratorOptions& options);

/// The rows of a random matrix, computed whenever they are asked for: each is a function of the
/// options alone, so any range of rows, on any number of threads, is the same to the last bit. No
/// library function whose last bits vary between machines decides anything.
///
/// General: every row has exactly `reference_per_row` non-zeros in the reference region and
/// round(normal(density * columns, spread)), cut to what fits, in the expansion space. The columns
/// are uniform, the values uniform in (-1, 1) and never 0.
///
/// Symmetric: a dense left tenth makes a dense top tenth. Element (i, j) is there with probability
/// reference_per_row / reference_columns where i or j is in the reference region, else with
/// probability density * (g_i + g_j - 1), g normal about 1, so that the rows below the reference
/// have the mean and the spread asked for; the spread cannot fall below the one that chance alone
/// gives, sqrt(mean * (1 - density)). The diagonal is always there and looks like that of a CI
/// Hamiltonian: H_ii = log2(1 + i), interpolated linearly between the powers of two, plus noise of
/// 1/8. The other elements are uniform in (-s, s) with s = 1 / sqrt(expected length of the longest
/// rows): their part of the spectrum lies within about 1.2 of 0 while the diagonal spans
/// log2(rows), so the lowest states are well apart and each is mostly one of the first unit
/// vectors.
///
/// Banded: the diagonals nearest to the main one, and that; an even number of them has one more
/// above than below. Diagonals: the main one and others drawn from all. The values are uniform in
/// (-1, 1).
class GeneratedRows final : public RowSource {
 public:
  /// Throws Fault::configuration for options that describe no matrix. The symmetric form keeps one
  /// number a row in `host`'s memory.
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
