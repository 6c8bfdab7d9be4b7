#include "io/matrices/matrix_file.hpp"

#include "base/error.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrices/hdf5_matrix.hpp"
#include "io/matrices/matrix_market.hpp"
#include "io/matrices/npz_matrix.hpp"

namespace cisolve::io {
namespace {

enum class MatrixFileKind { matrix_market, hdf5, npz };

/// `fault` is thrown for an unknown extension.
MatrixFileKind kind_of(const std::filesystem::path& path, base::ErrorKind fault) {
  const std::string extension = path.extension().native();
  if (extension == ".mtx") return MatrixFileKind::matrix_market;
  if (extension == ".h5" || extension == ".hdf5") return MatrixFileKind::hdf5;
  if (extension == ".npz") return MatrixFileKind::npz;
  base::fail(
      fault, path.native(), ": the extension '", extension,
      "' is not that of a matrix file; expected .mtx (Matrix Market), .h5 or .hdf5 (HDF5), or ",
      ".npz (SciPy, only for reading)");
}

}  // namespace

sparse::Csr read_matrix(const std::filesystem::path& path, const base::Backend& host) {
  require_regular_file(path);
  switch (kind_of(path, base::ErrorKind::bad_input)) {
    case MatrixFileKind::hdf5: return read_hdf5_matrix(path, host);
    case MatrixFileKind::npz: return read_npz_matrix(path, host);
    case MatrixFileKind::matrix_market: break;
  }
  return read_matrix_market(path, host);
}

std::optional<sparse::MatrixShape> peek_shape(const std::filesystem::path& path) {
  require_regular_file(path);
  if (kind_of(path, base::ErrorKind::bad_input) != MatrixFileKind::matrix_market)
    return std::nullopt;
  return shape_of(matrix_market_info(path));
}

void write_matrix(const std::filesystem::path& path, const sparse::RowSource& rows,
                  const MatrixWriteOptions& options, const base::Backend& host) {
  const MatrixFileKind kind = kind_of(path, base::ErrorKind::usage);
  if (kind == MatrixFileKind::npz)
    base::fail(base::ErrorKind::usage, path.native(),
               ": .npz files can be read but not written; expected ",
               ".mtx (scipy.io.mmread reads it) or .h5");
  if (kind == MatrixFileKind::hdf5)
    write_hdf5_matrix(path, rows, {options.compress, options.overwrite}, host);
  else
    write_matrix_market(path, rows, options.overwrite, host);
}

}  // namespace cisolve::io
