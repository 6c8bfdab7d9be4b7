#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/fock/models/terms.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// A model on sites, as a request names it.
struct LatticeProblem {
  int sites = 0;
  std::optional<ci::LatticeShape> shape;  // none where there are bonds alone
  std::vector<ci::Term> terms;
};

/// Throws ErrorKind::configuration, or ErrorKind::bad_input with file and line, for what is none.
LatticeProblem lattice_problem(const Request& request);

/// Refuses couplings of electrons that may share a site: only where they do not are exchange
/// integrals couplings of spins.
void require_electron_terms(const Request& request, const LatticeProblem& lattice);

/// "heisenberg lattice of 4 x 4 sites"
std::string describe_lattice(const Request& request);

}  // namespace cisolve::job
