#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/fock/models/terms.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// The requested model on sites.
struct LatticeProblem {
  int sites = 0;
  std::optional<ci::LatticeShape> shape;  // none: bonds alone
  std::vector<ci::Term> terms;
};

/// Throws ErrorKind::configuration, or ErrorKind::bad_input with file and line, if it is invalid.
LatticeProblem lattice_problem(const Request& request);

/// Refuses spin couplings of electrons that may share a site: exchange integrals represent them
/// only on singly occupied sites.
void require_electron_terms(const Request& request, const LatticeProblem& lattice);

/// "heisenberg lattice of 4 x 4 sites"
std::string describe_lattice(const Request& request);

}  // namespace cisolve::job
