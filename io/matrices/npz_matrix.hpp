#pragma once

#include <filesystem>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::io {

/// Reads a sparse matrix written by scipy.sparse.save_npz, compressed or not: CSR, CSC and COO of
/// real numbers or integers. It is never marked symmetric, whatever its values, and has no
/// reference columns; elements may be in any order, without duplicates. The file is not trusted:
/// memory is bounded by its size and the budget. ErrorKind::bad_input names file and array.
sparse::Csr read_npz_matrix(const std::filesystem::path& path, const base::Backend& host);

}  // namespace cisolve::io
