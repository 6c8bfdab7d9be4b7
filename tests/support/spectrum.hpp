#pragma once

#include <Eigen/Eigenvalues>
#include <map>
#include <vector>

#include "ci/fock/strings/determinant.hpp"
#include "tests/support/slater_condon_oracle.hpp"

namespace cisolve::test {

/// All strings of this number of electrons, by trying every bit pattern.
inline std::vector<ci::String> all_strings(int orbitals, int electrons) {
  std::vector<ci::String> strings;
  for (unsigned bits = 0; bits < 1U << orbitals; ++bits) {
    ci::String string;
    for (int p = 0; p < orbitals; ++p)
      if ((bits >> p & 1) != 0) string = string.with(p);
    if (string.count() == electrons) strings.push_back(string);
  }
  return strings;
}

inline std::vector<ci::Determinant> all_determinants(int orbitals, int alpha, int beta) {
  std::vector<ci::Determinant> all;
  for (const ci::String& a : all_strings(orbitals, alpha))
    for (const ci::String& b : all_strings(orbitals, beta)) all.push_back({a, b});
  return all;
}

/// All eigenvalues over these determinants, ascending, from the oracle's elements.
inline Eigen::VectorXd spectrum(const ci::Integrals& integrals,
                                const std::vector<ci::Determinant>& determinants) {
  const int n = integrals.orbitals();
  std::vector<int> orbitals(n);
  for (int p = 0; p < n; ++p) orbitals[p] = p;
  std::vector<Occupations> states;
  std::map<Occupations, Eigen::Index> row_of;
  for (const auto& [alpha, beta] : determinants) {
    Occupations state(2 * n, 0);
    alpha.for_each([&](int p) { state[p] = 1; });
    beta.for_each([&](int p) { state[n + p] = 1; });
    row_of[state] = std::ssize(states);
    states.push_back(state);
  }
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(std::ssize(states), std::ssize(states));
  for (Eigen::Index column = 0; column < h.cols(); ++column)
    for (const auto& [state, value] : apply_hamiltonian(integrals, orbitals, states[column]))
      if (const auto row = row_of.find(state); row != row_of.end()) h(row->second, column) = value;
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(h, Eigen::EigenvaluesOnly).eigenvalues();
}

inline Eigen::VectorXd full_ci_spectrum(const ci::Integrals& integrals, int alpha, int beta) {
  return spectrum(integrals, all_determinants(integrals.orbitals(), alpha, beta));
}

}  // namespace cisolve::test
