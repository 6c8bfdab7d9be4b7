#pragma once

#include <filesystem>
#include <optional>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

// Matrix files of any kind, selected by the extension: .mtx, .h5 or .hdf5, and .npz (read only).
namespace cisolve::io {

/// Throws ErrorKind::bad_input for another extension; otherwise like read_matrix_market(),
/// read_hdf5_matrix() or read_npz_matrix().
sparse::Csr read_matrix(const std::filesystem::path& path, const base::Backend& host);

/// Shape announced by the header of a Matrix Market file, which may exceed memory in a few bytes.
/// nullopt for the other kinds, which store a number per row.
std::optional<sparse::MatrixShape> peek_shape(const std::filesystem::path& path);

struct MatrixWriteOptions {
  bool overwrite = false;
  bool compress = false;  // HDF5 only
};

void write_matrix(const std::filesystem::path& path, const sparse::RowSource& rows,
                  const MatrixWriteOptions& options, const base::Backend& host);

}  // namespace cisolve::io
