#include "job/states/orbital_entropies.hpp"

#include "ci/properties/orbital_entropies.hpp"

namespace cisolve::job {

void add_entropies(const DeterminantProblem& molecule, const Request& request,
                   const solver::Result& result, StateAnalysis& analysis) {
  if (request.analysis.entropies == Entropies::none) return;
  const Index n = molecule.space.orbitals();
  const base::ConstBlock states = result.vectors.block();
  molecule.space.host().host_memory().require(n * (n + 1) * Index{sizeof(double)} * states.columns,
                                              "the mutual information of orbitals");
  io::StoredEntropies found;
  for (const int p : molecule.window.active) found.orbitals.push_back(p + 1);
  for (int j = 0; j < states.columns; ++j) {
    ci::OrbitalEntropies of_state = ci::orbital_entropies(molecule.space, states.column(j));
    found.single.push_back(std::move(of_state.single));
    found.mutual.push_back(std::move(of_state.mutual));
  }
  analysis.entropies = std::move(found);
}

}  // namespace cisolve::job
