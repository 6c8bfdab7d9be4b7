#pragma once

#include <filesystem>
#include <string_view>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

// Matrix Market text files: coordinate and array; real, integer and pattern (every value 1);
// general, symmetric and skew-symmetric. Real hermitian files are read as symmetric, complex ones
// refused. FORMATS.md and FAULTS.md list the other errors; all are reported as "file:line: what is
// wrong; what was expected".
namespace cisolve::io {

using base::Index;

enum class MatrixMarketLayout { coordinate, array };
enum class MatrixMarketField { real, integer, pattern };
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric };

/// Contents of the header.
struct MatrixMarketInfo {
  MatrixMarketLayout layout = MatrixMarketLayout::coordinate;
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;  // number of lines that follow
  Index reference_columns = 0;
};

/// Comment line with the number of leading columns in the Reference region, which the format itself
/// cannot express.
inline constexpr std::string_view kReferenceComment = "% ci-solve: reference_columns ";

MatrixMarketInfo matrix_market_info(const std::filesystem::path& path);
sparse::MatrixShape shape_of(const MatrixMarketInfo& info);

/// Stores both triangles and sets shape.symmetric if the file says symmetric; a general file is
/// never marked, whatever its values (see sparse::require_symmetric). Zeros of a coordinate file
/// are stored, zeros of an array are not. Reference columns are those of our own comment, or none.
sparse::Csr read_matrix_market(const std::filesystem::path& path, const base::Backend& host);

/// Writes symmetric matrices as their lower triangle, others as general; doubles with the digits
/// needed to read the same value back; the Reference region as a comment. The file appears
/// completely or not at all; an existing one is replaced only if `overwrite`.
void write_matrix_market(const std::filesystem::path& path, const sparse::RowSource& rows,
                         bool overwrite, const base::Backend& host);

}  // namespace cisolve::io
