#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ci/fock/basis/molecular_orbitals.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// The orbitals of a request over basis functions: given in memory, from the file of operators, or
/// from the TREXIO file itself; null if there are none. Orbitals of a TREXIO file that cannot be
/// are left out with a warning, since not all programs write them alike. Throws
/// ErrorKind::bad_input for other orbitals that do not belong to `integrals`,
/// ErrorKind::configuration if populations are requested but there are no orbitals.
std::shared_ptr<const ci::MolecularOrbitals> open_molecular_orbitals(
    const Request& request, const ci::Integrals& integrals, const base::Backend& host,
    std::vector<std::string>& warnings);

/// For messages: how a problem of this kind gets its orbitals.
std::string remedy_for_orbitals(const Request& request);

}  // namespace cisolve::job
