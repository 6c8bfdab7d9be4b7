#pragma once

#include "io/hdf5/new_file.hpp"
#include "io/results/results.hpp"

namespace cisolve::io {

/// Uncompressed bytes of write_basis().
Index bytes_of(const StoredBasis& stored);

/// Writes the group /basis in the layout that read_orbitals() reads, and the natural orbitals of
/// the states.
void write_basis(const hdf5::FileContext& context, const hdf5::NewFile& file,
                 const StoredBasis& stored);

}  // namespace cisolve::io
