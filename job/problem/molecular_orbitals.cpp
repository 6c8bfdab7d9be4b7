#include "job/problem/molecular_orbitals.hpp"

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "io/orbitals/orbital_file.hpp"

namespace cisolve::job {
namespace {

std::optional<ci::MolecularOrbitals> known_orbitals(const Request& request,
                                                    const ci::Integrals& integrals,
                                                    const base::Backend& host) {
  if (request.source == ProblemSource::lattice || request.solver.states == 0) return std::nullopt;
  const int orbitals = integrals.orbitals();
  const bool spin_dependent = integrals.spin_dependent();
  if (request.molecular_orbitals)
    return ci::checked(*request.molecular_orbitals, orbitals, spin_dependent, "the given orbitals",
                       host);
  if (!request.operators.file().empty())
    if (auto found = io::read_orbitals(request.operators.file(), orbitals, spin_dependent, host))
      return found;
  return std::nullopt;
}

}  // namespace

std::string remedy_for_orbitals(const Request& request) {
  if (request.source == ProblemSource::lattice) return "expected the orbitals of a molecule";
  return "expected 'problem.operators: FILE.h5' with a group /basis, which "
         "scripts/fcidump-of-molecule.py writes beside the integrals, or orbitals= from Python";
}

std::shared_ptr<const ci::MolecularOrbitals> open_molecular_orbitals(const Request& request,
                                                                     const ci::Integrals& integrals,
                                                                     const base::Backend& host) {
  auto found = known_orbitals(request, integrals, host);
  if (found) return std::make_shared<const ci::MolecularOrbitals>(std::move(*found));
  if (request.analysis.properties.has_populations())
    base::fail(base::ErrorKind::configuration, request.origin, ": analysis.properties names ",
               kPopulations, ", but the problem brings no basis functions; ",
               remedy_for_orbitals(request));
  return nullptr;
}

}  // namespace cisolve::job
