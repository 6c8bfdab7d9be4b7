// Full CI energies of a molecule from its integrals. Usage: fcidump_fci FILE [STATES]
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <cisolve/base/error.hpp>
#include <cisolve/ci/fock/spaces/spaces.hpp>
#include <cisolve/ci/hamiltonian/operators.hpp>
#include <cisolve/ci/oracle/operators.hpp>
#include <cisolve/io/molecules/fcidump.hpp>
#include <cisolve/solver/methods/solve.hpp>
#include <cisolve/solver/verification/verify.hpp>

using namespace cisolve;

int main(int count, char** arguments) try {
  if (count < 2) {
    std::cerr << "usage: fcidump_fci FILE [STATES]\n";
    return 2;
  }
  const base::Backend backend = base::Backend::openmp();
  const io::MolecularProblem molecule = io::read_fcidump(arguments[1], {}, backend);

  // All determinants of these electrons; `irrep` restricts them to those of the file's state.
  const ci::Space space = ci::full_ci({.orbitals = molecule.integrals.orbitals(),
                                       .alpha_electrons = molecule.alpha,
                                       .beta_electrons = molecule.beta,
                                       .irreps = molecule.integrals.irreps(),
                                       .irrep = molecule.irrep},
                                      backend);
  std::cout << space.dimension() << " determinants\n";

  // The product with H, without storing its elements.
  const auto hamiltonian = ci::factorised_hamiltonian(space, molecule.integrals, backend);
  solver::Options options;
  options.states = count > 2 ? std::atoi(arguments[2]) : 1;
  const solver::Result found = solver::solve({*hamiltonian, backend}, options);

  // Verified by a second operator, which shares no code with the first.
  const auto oracle = ci::oracle_hamiltonian(space, molecule.integrals, backend);
  const solver::Verification verified = solver::verify({*oracle, backend}, found, {});
  std::cout << std::fixed << std::setprecision(6);
  for (const solver::State& state : found.states) std::cout << state.energy << '\n';
  std::cout << (verified.passed ? "verified\n" : "not verified\n");
  return found.converged() && verified.passed ? 0 : 1;
} catch (const base::Error& error) {  // says what is wrong, in which line, and what was expected
  std::cerr << error.what() << '\n';
  return 1;
}
