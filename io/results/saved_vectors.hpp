#pragma once

#include <filesystem>
#include <vector>

#include "base/multivector.hpp"

namespace cisolve::io {

/// Reads the state vectors of a results file, one column per state, in the order and with the signs
/// of its determinants. The file is not trusted: HDF5 reads it in a process of its own
/// (worker.hpp). ErrorKind::bad_input names the file and the object.
base::MultiVector read_saved_vectors(const std::filesystem::path& path, const base::Backend& host);

/// Reads the energies of the states of a results file, likewise.
std::vector<double> read_saved_energies(const std::filesystem::path& path);

}  // namespace cisolve::io
