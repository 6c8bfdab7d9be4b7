// Description of a state: natural occupations, spin, leading determinants and the density matrix of
// the ground state of a molecule. Usage: densities FILE
#include <iomanip>
#include <iostream>

#include <cisolve/base/error.hpp>
#include <cisolve/job/run/run.hpp>

using namespace cisolve;

int main(int count, char** arguments) try {
  if (count != 2) {
    std::cerr << "usage: densities FILE\n";
    return 2;
  }
  job::Request request;
  request.source = job::ProblemSource::fcidump;
  request.fcidump = arguments[1];
  request.space.kind = job::SpaceKind::cisd;
  request.analysis.densities = job::Densities::one;
  request.analysis.determinants = 2;
  const job::Outcome outcome = job::run(request);

  const job::StateDescription& ground = outcome.analysis->states.front();
  std::cout << std::fixed << std::setprecision(4) << "natural occupations";
  for (const double occupation : ground.occupations) std::cout << ' ' << occupation;
  std::cout << "\n<S^2> " << *ground.s2 << '\n';
  for (const job::DominantDeterminant& determinant : ground.dominant)
    std::cout << determinant.text << ' ' << determinant.weight() << '\n';

  // gamma_pq of alpha electrons, row by row, then of beta electrons: the trace is their number.
  const io::StoredDensities& densities = outcome.analysis->kept;
  const std::size_t orbitals = densities.orbitals.size();
  double electrons = 0;
  for (std::size_t i = 0; i < 2 * orbitals; ++i)
    electrons += densities.one_particle.front()[i * orbitals + i % orbitals];
  std::cout << electrons << " electrons in " << orbitals << " orbitals\n";
  return outcome.is_good() ? 0 : 1;
} catch (const base::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
