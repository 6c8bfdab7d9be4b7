#include "sparse/generate/generator.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "sparse/generate/generator_diagonal.hpp"
#include "sparse/generate/generator_general.hpp"
#include "sparse/generate/generator_symmetric.hpp"

namespace cisolve::sparse {
namespace {

template <class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) base::fail(base::ErrorKind::configuration, parts...);
}

void require_possible_diagonals(const GeneratorOptions& o) {
  const Index most = o.pattern == GeneratedPattern::banded ? 2 * o.rows - 1 : o.rows;
  require(o.diagonals >= 1 && o.diagonals <= std::max<Index>(most, 1), "diagonals is ", o.diagonals,
          "; expected 1 to ", most, " for ", o.rows, " rows and pattern ", name_of(o.pattern));
  require(!o.symmetric || o.diagonals % 2 == 1, "diagonals is ", o.diagonals,
          "; expected an odd number, since a symmetric matrix has pairs of diagonals besides the "
          "main one");
}

// Written so that NaN fails each condition.
void require_possible(const GeneratorOptions& o) {
  require(o.rows >= 0 && o.rows <= base::kLargestDimension, "rows is ", o.rows, "; expected 0 to ",
          base::kLargestDimension);
  require(o.reference_share >= 0 && o.reference_share <= 1, "reference_share is ",
          o.reference_share, "; expected 0 to 1, such as 0.1 for a tenth of the columns");
  const Index most = reference_columns(o);
  require(o.reference_per_row >= 0 && o.reference_per_row <= most, "reference_per_row is ",
          o.reference_per_row, "; expected 0 to ", most, ", the reference columns of ", o.rows,
          " rows; give fewer non-zeros or a larger reference_share");
  require(o.density >= 0 && o.density <= 1, "density is ", o.density,
          "; expected 0 to 1, such as 0.01 for one non-zero in a hundred positions");
  require(o.spread >= 0 && o.spread <= base::kLargestDimension, "spread is ", o.spread,
          "; expected 0 or more non-zeros, and no more than ", base::kLargestDimension);
}

}  // namespace

Index reference_columns(const GeneratorOptions& options) {
  return std::llround(options.reference_share * static_cast<double>(options.rows));
}

double least_nonzeros(const GeneratorOptions& options) {
  if (options.pattern != GeneratedPattern::ci) return static_cast<double>(options.rows);
  constexpr double margin = 0.9;
  constexpr double cut = 0.4;  // part of the spread: loss by clipping long rows
  const auto rows = static_cast<double>(options.rows);
  const auto reference = static_cast<double>(options.reference_per_row);
  const double columns = rows - static_cast<double>(reference_columns(options));
  const double row = reference + std::max(0.0, options.density * columns - cut * options.spread);
  return margin * rows * row;
}

GeneratedRows::GeneratedRows(const GeneratorOptions& options, const base::Backend& host) {
  require_possible(options);
  if (options.pattern != GeneratedPattern::ci) {
    require_possible_diagonals(options);
    rows_ = std::make_unique<DiagonalPatternRows>(options);
  } else if (options.symmetric)
    rows_ = std::make_unique<SymmetricRows>(options, host);
  else
    rows_ = std::make_unique<GeneralRows>(options);
}

}  // namespace cisolve::sparse
