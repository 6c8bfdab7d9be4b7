#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "ci/selected/best_scores.hpp"
#include "ci/selected/spin_partners.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/selected_systems.hpp"

namespace cisolve::ci {
namespace {

using test::kHost;
using test::SelectedSystem;

/// External determinants with their scores, best first.
std::vector<std::pair<double, Determinant>> naive_scores(const SelectedSystem& system,
                                                         const Integrals& integrals,
                                                         const std::vector<Determinant>& list,
                                                         base::ConstBlock c,
                                                         const std::vector<double>& energies) {
  std::vector<std::pair<double, Determinant>> scores;
  for (const Determinant& a : system.determinants()) {
    if (std::ranges::find(list, a) != list.end()) continue;
    double score = 0;
    for (int s = 0; s < c.columns; ++s) {
      double coupling = 0;
      for (std::size_t i = 0; i < list.size(); ++i)
        coupling += element(integrals, a, list[i]) * c(static_cast<Index>(i), s);
      score = std::max(score, coupling * coupling / (element(integrals, a, a) - energies[s]));
    }
    if (score > 0) scores.emplace_back(score, a);
  }
  std::ranges::sort(scores, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  return scores;
}

std::vector<Determinant> configuration_of(const SelectedSystem& system, const Determinant& one) {
  std::vector<Determinant> members;
  for (const Determinant& other : system.determinants())
    if ((other.alpha & other.beta) == (one.alpha & one.beta) &&
        (other.alpha | other.beta) == (one.alpha | one.beta))
      members.push_back(other);
  return members;
}

TEST(BestScores, AgreeWithAnExhaustiveSearch) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Integrals integrals = system.integrals();
    const HeatBathTables tables(integrals, system.electrons, 0, kHost);
    const std::vector<Determinant> start = test::drawn_from(system.determinants(), 12, 5);
    const base::MultiVector c = test::drawn_coefficients(std::ssize(start), 2, 7);
    const std::vector<double> energies = {-30, -29};
    const auto scores = naive_scores(system, integrals, start, c.block(), energies);
    for (const Index more : {Index{0}, Index{3}, Index{17}, Index{1} << 60}) {
      for (const int threads : {1, 3}) {
        SelectedList<W> list(system.all_orbitals, system.electrons, start,
                             base::Backend::openmp(threads));
        const BestScoresResult result = grow_to_size(
            list, tables, c.block(), energies, std::ssize(start) + more, false, {.epsilon = 0});
        std::vector<Determinant> expected = start;
        for (Index k = 0; k < std::min(more, std::ssize(scores)); ++k)
          expected.push_back(scores[k].second);
        std::ranges::sort(expected);
        EXPECT_EQ(test::unpacked(list), expected);
        EXPECT_EQ(result.growth.added, std::ssize(expected) - std::ssize(start));
        for (std::size_t i = 0; i < start.size(); ++i)
          EXPECT_EQ(expected[result.growth.row_of_old[static_cast<Index>(i)]], start[i]);
        EXPECT_TRUE(
            std::ranges::all_of(list.expanded_to(), [](double t) { return t == kNotExpanded; }));
      }
    }
  });
}

TEST(BestScores, EqualThoseOfWholeConfigurations) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Integrals integrals = system.integrals();
    const HeatBathTables tables(integrals, system.electrons, 0, kHost);
    SelectedList<W> start(system.all_orbitals, system.electrons,
                          test::drawn_from(system.determinants(), 60, 5), kHost);
    complete_spin(start);
    const std::vector<Determinant> before = test::unpacked(start);
    const base::MultiVector c = test::drawn_coefficients(start.size(), 1, 7);
    const std::vector<double> energies = {-30};
    const auto scores = naive_scores(system, integrals, before, c.block(), energies);
    for (const Index more : {0, 5, 20, 1000000}) {
      std::set<Determinant> expected(before.begin(), before.end());
      for (const auto& [score, one] : scores) {
        if (expected.contains(one)) continue;
        const std::vector<Determinant> members = configuration_of(system, one);
        if (std::ssize(expected) + std::ssize(members) > std::ssize(before) + more) break;
        expected.insert(members.begin(), members.end());
      }
      SelectedList<W> list(system.all_orbitals, system.electrons, before, kHost);
      complete_spin(list);
      grow_to_size(list, tables, c.block(), energies, list.size() + more, true, {.epsilon = 0});
      EXPECT_EQ(test::unpacked(list), (std::vector<Determinant>(expected.begin(), expected.end())));
      EXPECT_TRUE(list.is_spin_complete());
    }
  });
}

TEST(BestScores, OfManyAreFoundInLittleMemory) {
  const SelectedSystem system{"", 9, {4, 4}, false, 9, 0};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables(integrals, system.electrons, 0, kHost);
  const std::vector<Determinant> start = test::drawn_from(system.determinants(), 800, 5);
  const base::MultiVector c = test::drawn_coefficients(std::ssize(start), 1, 7);
  const std::vector<double> energies = {-60};
  const auto scores = naive_scores(system, integrals, start, c.block(), energies);
  ASSERT_GT(std::ssize(scores), 5000);
  std::vector<Determinant> expected = start;
  for (int k = 0; k < 1500; ++k) expected.push_back(scores[k].second);
  std::ranges::sort(expected);
  const base::Backend small = base::Backend::openmp(2, {.host_bytes = 600000});
  SelectedList<1> list(9, system.electrons, start, small);
  const BestScoresResult result =
      grow_to_size(list, tables, c.block(), energies, std::ssize(expected), false,
                   {.epsilon = 0, .links_at_once = 1000});
  EXPECT_EQ(test::unpacked(list), expected);
  EXPECT_EQ(result.growth.candidates, std::ssize(scores));
}

TEST(BestScores, ComeWithThePerturbationOfTheListBefore) {
  const SelectedSystem system{"", 6, {3, 3}, false, 6, 0};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables(integrals, system.electrons, 0, kHost);
  const std::vector<Determinant> start = test::drawn_from(system.determinants(), 12, 5);
  const base::MultiVector c = test::drawn_coefficients(std::ssize(start), 1, 7);
  const std::vector<double> energies = {-30};
  SelectedList<1> list(6, system.electrons, start, kHost);
  const PerturbationResult alone = perturb(list, tables, c.block(), energies, {.epsilon = 0});
  const BestScoresResult result =
      grow_to_size(list, tables, c.block(), energies, list.size() + 10, false, {.epsilon = 0});
  EXPECT_EQ(result.perturbation.states[0].energy, alone.states[0].energy);
  EXPECT_EQ(result.perturbation.terms, alone.terms);
}

TEST(BestScores, RefuseAListThatIsNotComplete) {
  const SelectedSystem system{"", 6, {3, 3}, false, 6, 0};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables(integrals, system.electrons, 0, kHost);
  SelectedList<1> list(6, system.electrons, test::drawn_from(system.determinants(), 12, 5), kHost);
  const base::MultiVector c = test::drawn_coefficients(list.size(), 1, 7);
  const std::vector<double> energies = {-30};
  EXPECT_THROW(grow_to_size(list, tables, c.block(), energies, 1000, true, {}), base::Error);
}

}  // namespace
}  // namespace cisolve::ci
