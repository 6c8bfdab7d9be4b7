#include <iostream>

#include <cisolve/job/run/run.hpp>

int main() {
  using namespace cisolve;
  job::Request request;  // two electrons on two sites, with repulsion on each site
  request.source = job::ProblemSource::integrals;
  request.integrals = std::make_shared<job::GivenIntegrals>(
      job::GivenIntegrals{.orbitals = 2,
                          .alpha = 1,
                          .beta = 1,
                          .one_body = {0, -1, -1, 0},
                          .two_body = {4, 0, 0, 0, 0, 4}});  // the triangle of pairs 11, 21, 22
  request.solver.states = 3;
  const job::Outcome outcome = job::run(request);
  for (const solver::State& state : outcome.result->states) std::cout << state.energy << '\n';
  return outcome.is_good() ? 0 : 1;  // every state was found, converged and verified
}
