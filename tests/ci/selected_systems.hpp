#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "ci/oracle/element.hpp"
#include "ci/selected/growth.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/spectrum.hpp"

// Small selected-CI problems with all determinants known, and elements that share no code with the
// selection.
namespace cisolve::test {

struct SelectedSystem {
  std::string name;
  int orbitals;  // orbitals in use
  ci::SpinElectrons electrons;
  bool spin_dependent;
  int all_orbitals;  // including empty ones: the first `offset` and the last
  int offset;
  std::vector<int> irreps = {};
  int words = 0;  // 0: the fewest

  ci::Integrals integrals(unsigned seed = 3) const {
    return random_integrals(orbitals, spin_dependent, seed, irreps, all_orbitals, offset);
  }
  std::vector<ci::Determinant> determinants() const {
    std::vector<ci::Determinant> all = all_determinants(orbitals, electrons.alpha, electrons.beta);
    const auto moved = [&](const ci::String& string) {
      ci::String result;
      string.for_each([&](int p) { result = result.with(p + offset); });
      return result;
    };
    for (ci::Determinant& one : all) one = {moved(one.alpha), moved(one.beta)};
    std::ranges::sort(all);
    return all;
  }
};

inline std::vector<SelectedSystem> selected_systems() {
  return {{"closed shell", 6, {3, 3}, false, 6, 0},
          {"triplet", 6, {4, 2}, false, 6, 0},
          {"spin dependent", 6, {3, 2}, true, 6, 0},
          {"irreps", 7, {3, 3}, false, 7, 0, {0, 1, 2, 3, 0, 1, 2}},
          {"one electron", 5, {1, 0}, true, 5, 0},
          {"beta alone", 6, {0, 3}, true, 6, 0},
          {"full alpha", 4, {4, 2}, false, 4, 0},
          {"up to orbital 64", 6, {3, 2}, true, 64, 58},
          {"across orbital 64", 6, {3, 3}, false, 70, 61},
          {"more words than needed", 6, {2, 3}, true, 68, 62, {}, 4}};
}

/// Calls test(system, W) for each.
template <class Test>
void for_each_system(Test&& test) {
  for (const SelectedSystem& system : selected_systems()) {
    SCOPED_TRACE(system.name);
    ci::with_words_of(system.words > 0 ? 64 * system.words : system.all_orbitals,
                      [&](auto words) { test(system, words); });
  }
}

/// Keeps each with probability 1 / `share`, and always the first.
inline std::vector<ci::Determinant> drawn_from(const std::vector<ci::Determinant>& all,
                                               unsigned share, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<ci::Determinant> some = {all.front()};
  for (std::size_t i = 1; i < all.size(); ++i)
    if (random() % share == 0) some.push_back(all[i]);
  return some;
}

/// Normalised columns with numbers of very different sizes, and one 0.
inline base::MultiVector drawn_coefficients(base::Index rows, int states, unsigned seed) {
  base::MultiVector vectors(kHost, rows, states);
  std::mt19937 random(seed);
  std::normal_distribution<double> value;
  for (int s = 0; s < states; ++s) {
    double norm = 0;
    for (base::Index i = 0; i < rows; ++i) {
      const double c = i == 1 ? 0 : value(random) * std::exp(2 * value(random));
      vectors.block()(i, s) = c;
      norm += c * c;
    }
    for (base::Index i = 0; i < rows; ++i) vectors.block()(i, s) /= std::sqrt(norm);
  }
  return vectors;
}

template <int W>
std::vector<ci::Determinant> unpacked(const ci::SelectedList<W>& list) {
  std::vector<ci::Determinant> all;
  for (const auto& one : list.determinants()) all.push_back(one.determinant());
  return all;
}

inline Eigen::MatrixXd dense_hamiltonian(const ci::Integrals& integrals,
                                         const std::vector<ci::Determinant>& determinants) {
  const auto size = static_cast<Eigen::Index>(determinants.size());
  Eigen::MatrixXd h(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      h(i, j) = h(j, i) = ci::element(integrals, determinants[i], determinants[j]);
  return h;
}

/// The lowest states of a list, by dense diagonalisation.
struct DenseStates {
  std::vector<double> energies;
  base::MultiVector vectors;
};
inline DenseStates dense_states(const ci::Integrals& integrals,
                                const std::vector<ci::Determinant>& determinants, int states) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(
      dense_hamiltonian(integrals, determinants));
  DenseStates result{{}, base::MultiVector(kHost, std::ssize(determinants), states)};
  for (int s = 0; s < states; ++s) {
    result.energies.push_back(solved.eigenvalues()[s]);
    for (Eigen::Index i = 0; i < solved.eigenvalues().size(); ++i)
      result.vectors.block()(i, s) = solved.eigenvectors()(i, s);
  }
  return result;
}

}  // namespace cisolve::test
