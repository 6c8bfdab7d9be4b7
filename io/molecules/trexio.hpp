#pragma once

#include <filesystem>

#include "io/molecules/molecular_problem.hpp"

namespace cisolve::io {

struct TrexioOptions {
  bool has_repulsion = true;  // otherwise the file must not contain a nuclear repulsion
};

/// Reads integrals and electron counts from a TREXIO file with HDF5 back end: groups mo, electron,
/// nucleus, mo_1e_int and mo_2e_int (sparse <ij|kl>, physicists' notation). A file without
/// nucleus_repulsion, which is optional in TREXIO, may be damaged: refused unless the options say
/// that the model has none. If /mo/mo_spin gives equal numbers of alpha and beta orbitals, the
/// integrals depend on spin. Repeated elements are treated as by read_fcidump(). Orbitals get no
/// irreps, since their names in TREXIO are free text. The file is read with HDF5 itself in a
/// process of its own, since the TREXIO library trusts its input. Errors are ErrorKind::bad_input
/// with file and data set.
MolecularProblem read_trexio(const std::filesystem::path& path, const TrexioOptions& options,
                             const base::Backend& host);

}  // namespace cisolve::io
