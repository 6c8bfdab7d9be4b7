#pragma once

#include <filesystem>
#include <optional>

#include "base/backend.hpp"
#include "ci/fock/basis/molecular_orbitals.hpp"

namespace cisolve::io {

/// The orbitals of integrals over `orbitals` orbitals, from the groups nucleus, basis, ao and mo of
/// a TREXIO file with HDF5 back end; none if it lacks one of them or mo_coefficient, or if the
/// functions are not Gaussian. Spherical functions are Racah's solid harmonics by m = 0, +1, -1 and
/// so on, as TREXIO defines them. With ao_1e_int_overlap, its diagonal gives the norms of the
/// functions, and it has to be the overlap of the basis. The file is not trusted: HDF5 reads it in
/// a process of its own, and ci::checked() has to accept what it holds. Throws
/// ErrorKind::bad_input with file, data set and remedy.
std::optional<ci::MolecularOrbitals> read_trexio_orbitals(const std::filesystem::path& path,
                                                          int orbitals, bool spin_dependent,
                                                          const base::Backend& host);

}  // namespace cisolve::io
