#pragma once

#include <string>
#include <vector>

#include "bench/eigensolvers/contest.hpp"

namespace cisolve::bench {

/// Twenty seeded sparse symmetric matrices whose diagonal indicates the low states; sizes,
/// couplings, spectra and numbers of states differ.
std::vector<TestProblem> random_problems(const base::Backend& host);

/// Hamiltonians of the integral files in one folder and of the configurations in another, with at
/// most `most_rows` determinants. An empty or absent folder and each file left out are reported on
/// standard error.
std::vector<TestProblem> ci_problems(const std::string& data, const std::string& configs,
                                     Index most_rows, const base::Backend& host);

/// Spectra without a dominant determinant: hydrogens and stretched N2, from the integral files of a
/// folder, Hubbard models at U = 8, Heisenberg models and spin glasses. One problem for each number
/// of states; the folder's lowest.txt has the exact energies.
std::vector<TestProblem> hard_problems(const std::string& folder, const std::vector<int>& states,
                                       const base::Backend& host);

}  // namespace cisolve::bench
