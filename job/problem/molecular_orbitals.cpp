#include "job/problem/molecular_orbitals.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/orbitals/orbital_file.hpp"
#include "io/orbitals/trexio_orbitals.hpp"

namespace cisolve::job {
namespace {

std::optional<ci::MolecularOrbitals> known_orbitals(const Request& request,
                                                    const ci::Integrals& integrals,
                                                    const base::Backend& host,
                                                    std::vector<std::string>& warnings) {
  if (request.source == ProblemSource::lattice || request.solver.states == 0) return std::nullopt;
  const int orbitals = integrals.orbitals();
  const bool spin_dependent = integrals.spin_dependent();
  if (request.molecular_orbitals)
    return ci::checked(*request.molecular_orbitals, orbitals, spin_dependent, "the given orbitals",
                       host);
  if (!request.operators.file().empty())
    if (auto found = io::read_orbitals(request.operators.file(), orbitals, spin_dependent, host))
      return found;
  if (request.source != ProblemSource::trexio) return std::nullopt;
  try {  // the states do not need them
    return io::read_trexio_orbitals(request.trexio, orbitals, spin_dependent, host);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::bad_input && error.kind() != base::ErrorKind::resources)
      throw;
    warnings.push_back(std::string(error.what()) + "; its basis functions are not used");
    return std::nullopt;
  }
}

}  // namespace

std::string remedy_for_orbitals(const Request& request) {
  if (request.source == ProblemSource::lattice) return "expected the orbitals of a molecule";
  const std::string trexio =
      request.source == ProblemSource::trexio
          ? "; a TREXIO file brings them by its groups nucleus, basis, ao and mo"
          : "";
  return "expected 'problem.operators: FILE.h5' with a group /basis, which "
         "scripts/fcidump-of-molecule.py writes beside the integrals, or orbitals= from Python" +
         trexio;
}

std::shared_ptr<const ci::MolecularOrbitals> open_molecular_orbitals(
    const Request& request, const ci::Integrals& integrals, const base::Backend& host,
    std::vector<std::string>& warnings) {
  auto found = known_orbitals(request, integrals, host, warnings);
  if (found) return std::make_shared<const ci::MolecularOrbitals>(std::move(*found));
  if (request.analysis.properties.has_populations())
    base::fail(base::ErrorKind::configuration, request.origin, ": analysis.properties names ",
               kPopulations, ", but the problem brings no basis functions; ",
               remedy_for_orbitals(request));
  return nullptr;
}

}  // namespace cisolve::job
