#include "io/matrix_file.hpp"

#include "base/error.hpp"
#include "io/hdf5_matrix.hpp"
#include "io/matrix_market.hpp"

namespace cisolve::io {
namespace {

enum class MatrixFileKind { matrix_market, hdf5 };

MatrixFileKind kind_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().native();
  if (extension == ".mtx") return MatrixFileKind::matrix_market;
  if (extension == ".h5" || extension == ".hdf5") return MatrixFileKind::hdf5;
  base::fail(base::Fault::usage, path.native(), ": the extension '", extension,
             "' is no kind of matrix file; expected .mtx (Matrix Market), .h5 or .hdf5 (HDF5)");
}

}  // namespace

sparse::Csr read_matrix(const std::filesystem::path& path, const base::Backend& host) {
  if (kind_of(path) == MatrixFileKind::hdf5) return read_hdf5_matrix(path, host);
  return read_matrix_market(path, host);
}

void write_matrix(const std::filesystem::path& path, const sparse::RowSource& rows,
                  const MatrixWriteOptions& options, const base::Backend& host) {
  if (kind_of(path) == MatrixFileKind::hdf5)
    write_hdf5_matrix(path, rows, {options.compress, options.overwrite}, host);
  else
    write_matrix_market(path, rows, options.overwrite, host);
}

}  // namespace cisolve::io
