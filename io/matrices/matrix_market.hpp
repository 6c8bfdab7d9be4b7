#pragma once

#include <filesystem>
#include <string_view>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

// Matrix Market text files: coordinate and array; real, integer and pattern (every value 1);
// general, symmetric and skew-symmetric. A hermitian file of real numbers is a symmetric one.
// Complex numbers are refused. FORMATS.md and FAULTS.md say what else is an error; every one is
// reported as "file:line: what is wrong; what was expected".
namespace cisolve::io {

using base::Index;

enum class MatrixMarketLayout { coordinate, array };
enum class MatrixMarketField { real, integer, pattern };
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric };

/// What the first lines say.
struct MatrixMarketInfo {
  MatrixMarketLayout layout = MatrixMarketLayout::coordinate;
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;  // lines that follow
  Index reference_columns = 0;
};

/// The line that carries the Reference region, which the format itself does not know: a comment to
/// everybody else. The number of leading columns follows.
inline constexpr std::string_view kReferenceComment = "% ci-solve: reference_columns ";

MatrixMarketInfo matrix_market_info(const std::filesystem::path& path);
sparse::MatrixShape shape_of(const MatrixMarketInfo& info);

/// Both triangles are stored and shape.symmetric is set when the file says symmetric; a general
/// file is never marked, whatever its values (sparse::require_symmetric tells). Zeros of a
/// coordinate file are stored, those of an array are not. Reference columns are those of our own
/// comment; without it there are none.
sparse::Csr read_matrix_market(const std::filesystem::path& path, const base::Backend& host);

/// Symmetric matrices as their lower triangle, others as general; doubles with as many digits as
/// they need to come back the same; the Reference region as a comment. The file appears whole or
/// not at all; one that is there already is replaced only with `overwrite`.
void write_matrix_market(const std::filesystem::path& path, const sparse::RowSource& rows,
                         bool overwrite, const base::Backend& host);

}  // namespace cisolve::io
