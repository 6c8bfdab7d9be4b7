#pragma once

#include <filesystem>

#include "io/molecules/molecular_problem.hpp"

namespace cisolve::io {

/// Reads the integrals and electron counts of a TREXIO file with HDF5 back end: the groups mo,
/// electron, nucleus, mo_1e_int and mo_2e_int, the latter with the physicists' <ij|kl> in sparse
/// form. Where /mo/mo_spin tells alpha from beta orbitals, as many of either, the integrals depend
/// on the spin. Elements may come more than once, as in read_fcidump(). Orbitals have no irreps:
/// their names in TREXIO are free text. The library trusts what it reads, so the file is read
/// with HDF5 itself, in a process of its own; faults are Fault::bad_input with file and data set.
MolecularProblem read_trexio(const std::filesystem::path& path, const base::Backend& host);

}  // namespace cisolve::io
