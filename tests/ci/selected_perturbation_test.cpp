#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "ci/selected/perturbation.hpp"
#include "ci/selected/spin_partners.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/selected_systems.hpp"
#include "tests/support/state_oracle.hpp"

// Perturbation of selected spaces against plain sums over all determinants, with elements from
// other code.
namespace cisolve::ci {
namespace {

using test::kHost;
using test::SelectedSystem;

/// S_+ |determinant>, term by term.
test::State raised(const Determinant& determinant, int orbitals) {
  test::State sum;
  const test::State state = {{test::occupations(determinant, orbitals), 1.0}};
  for (int p = 0; p < orbitals; ++p)
    for (const auto& [occupied, amplitude] :
         test::created(test::annihilated(state, orbitals + p), p))
      sum[occupied] += amplitude;
  return sum;
}

struct NaiveSums {
  std::vector<StatePerturbation> states;
  std::map<Determinant, std::vector<double>> couplings;
  double smallest_gap = std::numeric_limits<double>::infinity();
};

NaiveSums naive_perturbation(const SelectedSystem& system, const Integrals& integrals,
                             const std::vector<Determinant>& list, base::ConstBlock c,
                             std::span<const double> energies, double epsilon) {
  NaiveSums sums;
  sums.states.resize(energies.size());
  const std::set<Determinant> internal(list.begin(), list.end());
  std::vector<test::State> raised_list;
  for (const Determinant& one : list) raised_list.push_back(raised(one, system.all_orbitals));
  for (const Determinant& a : system.determinants()) {
    if (internal.contains(a)) continue;
    std::vector<double> coupling(energies.size());
    bool has_terms = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto row = static_cast<Index>(i);
      double largest = 0;
      for (int s = 0; s < c.columns; ++s) largest = std::max(largest, std::abs(c(row, s)));
      const double h = element(integrals, a, list[i]);
      if (h == 0 || largest == 0 || std::abs(h) * largest < epsilon) continue;
      has_terms = true;
      for (int s = 0; s < c.columns; ++s) coupling[s] += h * c(row, s);
    }
    if (!has_terms) continue;
    sums.couplings[a] = coupling;
    const double diagonal = element(integrals, a, a);
    const test::State raised_a = raised(a, system.all_orbitals);
    for (std::size_t s = 0; s < energies.size(); ++s) {
      const double gap = diagonal - energies[s];
      sums.smallest_gap = std::min(sums.smallest_gap, gap);
      sums.states[s].energy -= coupling[s] * coupling[s] / gap;
      sums.states[s].variance += coupling[s] * coupling[s];
      double spin = 0;
      for (std::size_t i = 0; i < list.size(); ++i)
        spin +=
            c(static_cast<Index>(i), static_cast<int>(s)) * test::inner(raised_a, raised_list[i]);
      sums.states[s].spin_squared -= 2 * coupling[s] / gap * spin;
    }
  }
  return sums;
}

void expect_near(const std::vector<StatePerturbation>& found,
                 const std::vector<StatePerturbation>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t s = 0; s < found.size(); ++s) {
    const double scale = 1 + std::abs(expected[s].energy);
    EXPECT_NEAR(found[s].energy, expected[s].energy, tolerance * scale) << "state " << s;
    EXPECT_NEAR(found[s].variance, expected[s].variance, tolerance * (1 + expected[s].variance));
    EXPECT_NEAR(found[s].spin_squared, expected[s].spin_squared, tolerance * scale);
  }
}

bool same_bits(const PerturbationResult& a, const PerturbationResult& b) {
  bool same = a.terms == b.terms && a.externals == b.externals && a.smallest_gap == b.smallest_gap;
  for (std::size_t s = 0; s < a.states.size(); ++s)
    same = same && a.states[s].energy == b.states[s].energy &&
           a.states[s].variance == b.states[s].variance &&
           a.states[s].spin_squared == b.states[s].spin_squared;
  return same;
}

/// A list, random coefficients and energies below all determinants.
template <int W>
struct Perturbed {
  explicit Perturbed(const SelectedSystem& from, int states, unsigned share = 6)
      : system(from),
        integrals(system.integrals()),
        tables(integrals, system.electrons, 0, kHost),
        determinants(test::drawn_from(system.determinants(), share, 5)),
        list(system.all_orbitals, system.electrons, determinants, kHost),
        c(test::drawn_coefficients(list.size(), states, 7)) {
    for (int s = 0; s < states; ++s) energies.push_back(-30 + s);
  }
  PerturbationResult result(PerturbationOptions options,
                            const ExternalVisitor<W>& visitor = {}) const {
    return perturb(list, tables, c.block(), energies, options, visitor);
  }
  PerturbationResult on_threads(int threads, PerturbationOptions options) const {
    const SelectedList<W> other(system.all_orbitals, system.electrons, determinants,
                                base::Backend::openmp(threads));
    return perturb(other, tables, c.block(), energies, options);
  }

  SelectedSystem system;
  Integrals integrals;
  HeatBathTables tables;
  std::vector<Determinant> determinants;
  SelectedList<W> list;
  base::MultiVector c;
  std::vector<double> energies;
};

TEST(SelectedPerturbation, IsTheSumOverAllExternalDeterminants) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    for (const int states : {1, 3}) {
      const Perturbed<W> of(system, states);
      for (const double epsilon : {0.0, 0.05}) {
        std::map<Determinant, std::vector<double>> couplings;
        std::mutex guard;
        const PerturbationResult result =
            of.result({.epsilon = epsilon}, [&](const ExternalDeterminants<W>& found) {
              const std::lock_guard lock(guard);
              for (std::size_t k = 0; k < found.betas.size(); ++k) {
                const Determinant a{found.alpha.string(), found.betas[k].string()};
                const auto first = found.couplings.begin() + static_cast<Index>(k) * states;
                EXPECT_TRUE(couplings.emplace(a, std::vector(first, first + states)).second);
                EXPECT_NEAR(found.diagonal[k], element(of.integrals, a, a), 1e-12);
              }
            });
        const NaiveSums expected = naive_perturbation(system, of.integrals, of.determinants,
                                                      of.c.block(), of.energies, epsilon);
        expect_near(result.states, expected.states, 1e-12);
        EXPECT_EQ(result.externals, std::ssize(couplings));
        ASSERT_EQ(couplings.size(), expected.couplings.size());
        for (const auto& [a, values] : expected.couplings)
          for (int s = 0; s < states; ++s) EXPECT_NEAR(couplings.at(a)[s], values[s], 1e-12);
        if (!couplings.empty()) {
          EXPECT_NEAR(result.smallest_gap, expected.smallest_gap, 1e-11);
        }
      }
    }
  });
}

TEST(SelectedPerturbation, OfAFullSpaceIsNothing) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Perturbed<W> of(system, 2, 1);
    ASSERT_EQ(of.list.size(), std::ssize(system.determinants()));
    const PerturbationResult result = of.result({.epsilon = 0});
    EXPECT_EQ(result.externals, 0);
    for (const StatePerturbation& state : result.states) {
      EXPECT_EQ(state.energy, 0);
      EXPECT_EQ(state.variance, 0);
      EXPECT_EQ(state.spin_squared, 0);
    }
  });
}

TEST(SelectedPerturbation, HasTheSameBitsOnAnyNumberOfThreads) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Perturbed<W> of(system, 2);
    for (const Index links : {1, 20, 1 << 18}) {
      const PerturbationOptions options{.epsilon = 1e-3, .links_at_once = links};
      const PerturbationResult expected = of.on_threads(1, options);
      for (const int threads : {2, 3, 5})
        EXPECT_TRUE(same_bits(of.on_threads(threads, options), expected))
            << threads << ", " << links;
    }
  });
}

TEST(SelectedPerturbation, IsTheSameForAnyBatches) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Perturbed<W> of(system, 2);
    const PerturbationResult expected = of.result({.epsilon = 1e-3});
    for (const Index links : {1, 5, 200})
      for (const Index externals : {1, 2, 7, 1000}) {
        const PerturbationResult result =
            of.result({.epsilon = 1e-3, .links_at_once = links, .externals_at_once = externals});
        expect_near(result.states, expected.states, 1e-13);
        EXPECT_EQ(result.externals, expected.externals);
        EXPECT_EQ(result.terms, expected.terms);
      }
  });
}

/// Many strings: constraints on three alpha orbitals and work for several threads.
TEST(SelectedPerturbation, OfManyStringsIsTheSumOverAll) {
  const SelectedSystem system{"", 9, {4, 3}, false, 9, 0};
  const Perturbed<1> of(system, 1, 90);
  const PerturbationResult result = of.result({.epsilon = 1e-2, .links_at_once = 40});
  const NaiveSums expected =
      naive_perturbation(system, of.integrals, of.determinants, of.c.block(), of.energies, 1e-2);
  expect_near(result.states, expected.states, 1e-12);
  EXPECT_EQ(result.externals, std::ssize(expected.couplings));
  const PerturbationOptions options{.epsilon = 1e-2, .links_at_once = 40};
  EXPECT_TRUE(same_bits(of.on_threads(4, options), of.on_threads(1, options)));
}

TEST(SelectedPerturbation, HasTheVarianceOfAnEigenstateOfTheList) {
  const SelectedSystem system{"", 6, {3, 2}, true, 6, 0};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables(integrals, system.electrons, 0, kHost);
  const std::vector<Determinant> all = system.determinants();
  const std::vector<Determinant> some = test::drawn_from(all, 4, 3);
  const SelectedList<1> list(6, system.electrons, some, kHost);
  const test::DenseStates states = test::dense_states(integrals, some, 2);
  const PerturbationResult result =
      perturb(list, tables, states.vectors.block(), states.energies, {.epsilon = 0});
  const Eigen::MatrixXd h = test::dense_hamiltonian(integrals, all);
  for (int s = 0; s < 2; ++s) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(std::ssize(all));
    for (std::size_t i = 0; i < some.size(); ++i)
      x[std::ranges::lower_bound(all, some[i]) - all.begin()] =
          states.vectors.block()(static_cast<Index>(i), s);
    const Eigen::VectorXd r = h * x - states.energies[s] * x;
    EXPECT_NEAR(result.states[s].variance, r.squaredNorm(), 1e-11);
  }
}

TEST(SelectedPerturbation, DoesNotChangeTheSpinOfACompleteList) {
  for (const SpinElectrons electrons : {SpinElectrons{3, 3}, SpinElectrons{4, 2}}) {
    const SelectedSystem system{"", 6, electrons, false, 6, 0};
    const Integrals integrals = system.integrals();
    const HeatBathTables tables(integrals, electrons, 0, kHost);
    const std::vector<Determinant> some = test::drawn_from(system.determinants(), 30, 3);
    SelectedList<1> list(6, electrons, some, kHost);
    const auto correction = [&] {
      const test::DenseStates states = test::dense_states(integrals, test::unpacked(list), 1);
      return perturb(list, tables, states.vectors.block(), states.energies, {.epsilon = 0})
          .states[0]
          .spin_squared;
    };
    EXPECT_GT(std::abs(correction()), 1e-4);
    complete_spin(list);
    EXPECT_NEAR(correction(), 0, 1e-12);
  }
}

TEST(SelectedPerturbation, SeesAnExternalDeterminantBelowTheState) {
  const SelectedSystem system{"", 6, {2, 2}, false, 6, 0};
  const Perturbed<1> of(system, 1, 20);
  EXPECT_GT(of.result({}).smallest_gap, 0);
  const std::vector<double> high = {100.0};
  EXPECT_LT(perturb(of.list, of.tables, of.c.block(), high, {}).smallest_gap, 0);
}

TEST(SelectedPerturbation, TakesFewerThreadsWhereTheBudgetIsSmall) {
  const SelectedSystem system{"", 6, {3, 3}, false, 6, 0};
  const Perturbed<1> of(system, 1);
  const auto on_budget = [&](Index bytes) {
    const SelectedList<1> list(6, system.electrons, of.determinants,
                               base::Backend::openmp(4, {.host_bytes = bytes}));
    return perturb(list, of.tables, of.c.block(), of.energies, {.links_at_once = 1000});
  };
  EXPECT_TRUE(same_bits(on_budget(60000), on_budget(10000000)));
  EXPECT_LT(on_budget(60000).threads, 4);
  EXPECT_THROW(on_budget(20000), base::Error);
}

TEST(SelectedPerturbation, ReportsInvalidRequests) {
  const Perturbed<1> of({"", 6, {3, 2}, false, 6, 0}, 2);
  EXPECT_THROW(of.result({.epsilon = -1}), base::Error);
  EXPECT_THROW(of.result({.links_at_once = 0}), base::Error);
  EXPECT_THROW(of.result({.externals_at_once = 0}), base::Error);
  const std::vector<double> one = {-1.0};
  EXPECT_THROW(perturb(of.list, of.tables, of.c.block(), one, {}), base::Error);
  const std::vector<double> no_number = {-1.0, std::nan("")};
  EXPECT_THROW(perturb(of.list, of.tables, of.c.block(), no_number, {}), base::Error);
  const HeatBathTables few(of.integrals, {3, 2}, 0.1, kHost);
  EXPECT_THROW(perturb(of.list, few, of.c.block(), of.energies, {}), base::Error);
}

}  // namespace
}  // namespace cisolve::ci
