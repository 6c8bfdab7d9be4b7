#pragma once

#include <filesystem>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

// The project's own HDF5 schema of a sparse matrix, version 1:
//   /        attributes format = "ci-solve matrix", schema = 1, program, version, ordering
//   /matrix  attributes rows, columns_count, symmetric (0 or 1), reference_columns
//   /matrix/row_offsets (int64, rows + 1), columns (int32), values (float64): CSR counted from 0,
//            columns ascending within a row, both triangles of a symmetric matrix
// All metadata and data carry checksums. Files of other programs may lack the root attributes,
// store booleans, and use types that widen without loss.
namespace cisolve::io {

/// The file is not trusted: HDF5 reads it in a process of its own (worker.hpp), and the contents
/// are validated, `symmetric` included. ErrorKind::bad_input names the file and the object.
sparse::Csr read_hdf5_matrix(const std::filesystem::path& path, const base::Backend& host);

struct Hdf5WriteOptions {
  bool compress = false;  // shuffle and deflate: smaller, at a third of the speed or less
  bool overwrite = false;
};

/// The file appears completely or not at all.
void write_hdf5_matrix(const std::filesystem::path& path, const sparse::RowSource& rows,
                       const Hdf5WriteOptions& options, const base::Backend& host);

}  // namespace cisolve::io
