#pragma once

#include <string>
#include <vector>

#include "bench/eigensolvers/contest.hpp"

namespace cisolve::bench {

/// Twenty sparse symmetric matrices whose diagonal tells where the low states are: seeded; sizes,
/// couplings, spectra and wanted states differ.
std::vector<TestProblem> random_problems(const base::Backend& host);

/// The Hamiltonians of the integral files in a folder and of the configurations in another, as far
/// as they have no more than `most_rows` determinants. An empty or absent folder is skipped; a
/// word about it and about each file that is left out goes to standard error.
std::vector<TestProblem> ci_problems(const std::string& data, const std::string& configs,
                                     Index most_rows, const base::Backend& host);

/// Spectra without a dominant determinant: hydrogens and N2 pulled apart, from the integral files
/// of a folder, Hubbard models at U = 8, Heisenberg models and spin glasses. Each stands there once
/// for every number of states; the folder's lowest.txt tells the right energies.
std::vector<TestProblem> hard_problems(const std::string& folder, const std::vector<int>& states,
                                       const base::Backend& host);

}  // namespace cisolve::bench
