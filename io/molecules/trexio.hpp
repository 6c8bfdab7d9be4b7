#pragma once

#include <filesystem>

#include "io/molecules/molecular_problem.hpp"

namespace cisolve::io {

struct TrexioOptions {
  bool has_repulsion = true;  // else the model has no nuclei, nor may the file name their repulsion
};

/// Reads the integrals and electron counts of a TREXIO file with HDF5 back end: the groups mo,
/// electron, nucleus, mo_1e_int and mo_2e_int, the latter with the physicists' <ij|kl> in sparse
/// form. A file without nucleus_repulsion, which the library writes only if it is asked to, may be
/// damaged: it is refused unless the options say that the model has none. Where /mo/mo_spin tells
/// alpha from beta orbitals, as many of either, the integrals depend on the spin. Elements may come
/// more than once, as in read_fcidump(). Orbitals have no irreps: their names in TREXIO are free
/// text. The library trusts what it reads, so the file is read with HDF5 itself, in a process of
/// its own; faults are Fault::bad_input with file and data set.
MolecularProblem read_trexio(const std::filesystem::path& path, const TrexioOptions& options,
                             const base::Backend& host);

}  // namespace cisolve::io
