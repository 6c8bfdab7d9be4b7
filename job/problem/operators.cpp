#include "job/problem/operators.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/molecules/operator_file.hpp"

namespace cisolve::job {
namespace {

ci::OneElectronOperators all_operators(const Request& request, const ci::Integrals& integrals) {
  // The key `operators` has no effect on a lattice.
  if (request.source == ProblemSource::lattice) return {};
  if (!request.operators.file().empty())
    return io::read_operators(request.operators.file(), integrals);
  if (request.operators.values() == nullptr) return {};
  ci::require_sound(*request.operators.values(), integrals.orbitals(), integrals.spin_dependent(),
                    "the given operators");
  return *request.operators.values();
}

std::string names_of(const ci::OneElectronOperators& operators) {
  std::string names;
  for (const ci::OneElectronOperator& one : operators)
    names += (names.empty() ? "" : ", ") + one.name;
  return names.empty() ? "no operators" : names;
}

/// Says, for messages, how a problem of this kind gets operators.
std::string remedy(const Request& request) {
  if (request.source == ProblemSource::lattice) return "expected the orbitals of a molecule";
  const std::string trexio = request.source == ProblemSource::trexio
                                 ? "; a TREXIO file holds no dipole integrals over its orbitals"
                                 : "";
  return "expected 'problem.operators: FILE.h5' with it, which scripts/fcidump-of-molecule.py "
         "writes beside the integrals, or operators= from Python" +
         trexio;
}

}  // namespace

ci::OneElectronOperators open_operators(const Request& request, const ci::Integrals& integrals,
                                        const ci::Window& window) {
  const ci::OneElectronOperators whole = all_operators(request, integrals);
  for (const std::string& name : request.analysis.properties.names)
    if (name != kPopulations && ci::operator_named(whole, name) == nullptr)
      base::fail(base::ErrorKind::configuration, request.origin, ": analysis.properties names ",
                 name.substr(0, 64), ", but the problem brings ", names_of(whole), "; ",
                 remedy(request));
  ci::OneElectronOperators active;
  for (const ci::OneElectronOperator& one : whole)
    active.push_back(ci::in_active_orbitals(one, window.frozen, window.active));
  return active;
}

}  // namespace cisolve::job
