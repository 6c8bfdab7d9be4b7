#pragma once

#include <filesystem>
#include <optional>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

// Matrices in files of any kind, which the extension tells: .mtx, .h5 or .hdf5, and .npz, which is
// read alone.
namespace cisolve::io {

/// Fault::usage for another extension; else as read_matrix_market, read_hdf5_matrix and
/// read_npz_matrix.
sparse::Csr read_matrix(const std::filesystem::path& path, const base::Backend& host);

/// What the first lines of a text say of its matrix: a few of them name more rows than there is
/// memory for. Nothing of the other kinds, which hold a number for each row.
std::optional<sparse::MatrixShape> shape_ahead(const std::filesystem::path& path);

struct MatrixWriteOptions {
  bool overwrite = false;
  bool compress = false;  // HDF5 only
};

void write_matrix(const std::filesystem::path& path, const sparse::RowSource& rows,
                  const MatrixWriteOptions& options, const base::Backend& host);

}  // namespace cisolve::io
