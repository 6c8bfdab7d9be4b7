#pragma once

#include <filesystem>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::io {

/// Reads a sparse matrix that scipy.sparse.save_npz wrote, packed or not: CSR, CSC and COO of real
/// or whole numbers. Like a general Matrix Market file it is never marked symmetric, whatever its
/// values, and has no reference columns; elements come in any order, but none twice. The file is
/// not trusted: nothing is allocated but what its bytes can hold and the budget allows.
/// Fault::bad_input names the file and the array.
sparse::Csr read_npz_matrix(const std::filesystem::path& path, const base::Backend& host);

}  // namespace cisolve::io
