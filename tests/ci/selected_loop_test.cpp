#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

#include "ci/fock/spaces/spaces.hpp"
#include "ci/selected/extrapolation.hpp"
#include "ci/selected/growth.hpp"
#include "ci/selected/perturbation.hpp"
#include "ci/selected/spin_partners.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/selected_systems.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/solved.hpp"

// Complete selected CI of small molecules (grow, solve, perturb, extrapolate) against full CI.
namespace cisolve::ci {
namespace {

using test::kHost;

class SmallSelectedCi {
 public:
  SmallSelectedCi(const Integrals& integrals, SpinElectrons electrons, int states,
                  std::vector<Determinant> start)
      : integrals_(integrals),
        electrons_(electrons),
        states_(states),
        tables_(integrals, electrons, 0, kHost),
        list_(integrals.orbitals(), electrons, start, kHost) {
    complete_spin(list_);
    solve();
  }

  /// Iterates until a step adds less than 1 % to the list.
  void converge(double epsilon) {
    for (bool is_done = false; !is_done;) {
      const Index before = list_.size();
      grow(list_, tables_, vectors_.block(), {.epsilon = epsilon, .complete_spin = true});
      is_done = (list_.size() - before) * 100 < before;
      solve();
    }
  }
  PerturbationResult perturbation(double epsilon) const {
    return perturb(list_, tables_, vectors_.block(), energies_, {.epsilon = epsilon});
  }

  const SelectedList<1>& list() const { return list_; }
  const std::vector<double>& energies() const { return energies_; }
  const base::MultiVector& vectors() const { return vectors_; }

 private:
  void solve() {
    const Space space = list_space({list_.orbitals(), electrons_.alpha, electrons_.beta},
                                   test::unpacked(list_), kHost);
    solver::Result found =
        test::solved(space, integrals_, static_cast<int>(std::min<Index>(states_, list_.size())));
    energies_.clear();
    for (const solver::State& state : found.states) energies_.push_back(state.energy);
    vectors_ = std::move(found.vectors);
  }

  const Integrals& integrals_;
  SpinElectrons electrons_;
  int states_;
  HeatBathTables tables_;
  SelectedList<1> list_;
  std::vector<double> energies_;
  base::MultiVector vectors_{kHost, 0, 1};
};

bool has_reference_data() { return std::filesystem::exists(test::reference_data()); }

TEST(SelectedCi, ApproachesFullCiFromAbove) {
  if (!has_reference_data()) GTEST_SKIP() << "no reference data";
  const Integrals integrals = test::plain_integrals("h8_sto6g.fcidump", 8, false);
  const double full_ci = -4.345079402666;
  SmallSelectedCi selected(integrals, {4, 4}, 1, {aufbau(4, 4)});
  std::vector<ExtrapolationPoint> points;
  for (const double epsilon : {2e-2, 1e-2, 5e-3, 2.5e-3}) {
    selected.converge(epsilon);
    const PerturbationResult result = selected.perturbation(1e-3 * epsilon);
    const double energy = selected.energies()[0];
    EXPECT_GE(energy, full_ci - 1e-9);
    if (!points.empty()) {
      EXPECT_LE(energy, points.back().variational + 1e-9);
    }
    EXPECT_LT(std::abs(energy + result.states[0].energy - full_ci), 0.4 * (energy - full_ci));
    points.push_back({energy, result.states[0].energy});
  }
  EXPECT_LT(selected.list().size(), 4900);
  const Extrapolation found = extrapolate(points);
  EXPECT_TRUE(found.is_trusted()) << found.distrust;
  EXPECT_LE(std::abs(found.energy - full_ci), 2 * found.error);
  EXPECT_LT(std::abs(found.energy - full_ci), 3e-4);
}

TEST(SelectedCi, InOneStepAndInTenAgrees) {
  if (!has_reference_data()) GTEST_SKIP() << "no reference data";
  const Integrals integrals = test::plain_integrals("n2_sto6g.fcidump", 10, false);
  SmallSelectedCi at_once(integrals, {7, 7}, 1, {aufbau(7, 7)});
  at_once.converge(2e-4);
  SmallSelectedCi in_steps(integrals, {7, 7}, 1, {aufbau(7, 7)});
  for (int step = 9; step >= 0; --step) in_steps.converge(2e-4 * std::pow(1.6, step));
  const auto size = static_cast<double>(at_once.list().size());
  EXPECT_NEAR(static_cast<double>(in_steps.list().size()), size, 0.01 * size);
  EXPECT_NEAR(in_steps.energies()[0], at_once.energies()[0], 1e-6);
}

TEST(SelectedCi, FindsTheTripletOfOxygen) {
  if (!has_reference_data()) GTEST_SKIP() << "no reference data";
  const Integrals integrals = test::plain_integrals("o2.fcidump", 8, false);
  SmallSelectedCi selected(integrals, {7, 5}, 1, {aufbau(7, 5)});
  selected.converge(1e-2);
  const PerturbationResult result = selected.perturbation(0);
  EXPECT_NEAR(selected.energies()[0] + result.states[0].energy, -149.704931693051, 1e-3);
  EXPECT_NEAR(result.states[0].spin_squared, 0, 1e-9);
  selected.converge(1e-7);
  EXPECT_NEAR(selected.energies()[0], -149.704931693051, 1e-6);
}

/// The two states have different irreps, and determinants without coefficients are not expanded, so
/// the start determines how many states are followed: triplet and singlet of the open
/// configuration, and the closed one.
TEST(SelectedCi, FindsTwoStatesFromAStartThatHasBoth) {
  if (!has_reference_data()) GTEST_SKIP() << "no reference data";
  const Integrals integrals = test::plain_integrals("o2.fcidump", 8, false);
  const double expected[] = {-149.704931693051, -149.677601563788};
  const Determinant closed = aufbau(6, 6);
  const Determinant open{closed.alpha, closed.beta.without(5).with(6)};
  SmallSelectedCi selected(integrals, {6, 6}, 3, {closed, open});
  selected.converge(1e-2);
  selected.converge(3e-3);
  const PerturbationResult result = selected.perturbation(0);
  EXPECT_LT(selected.list().size(), 700);
  for (int s = 0; s < 2; ++s) {
    EXPECT_NEAR(selected.energies()[s] + result.states[s].energy, expected[s], 1e-3);
    EXPECT_NEAR(result.states[s].spin_squared, 0, 1e-9);
  }
  selected.converge(1e-7);
  for (int s = 0; s < 2; ++s) EXPECT_NEAR(selected.energies()[s], expected[s], 1e-6);
}

TEST(SelectedCi, IsTheSameInAnotherOrderOfOrbitals) {
  const test::SelectedSystem system{"", 6, {3, 2}, true, 6, 0};
  const Integrals integrals = system.integrals();
  std::vector<int> place(6);
  std::iota(place.begin(), place.end(), 0);
  std::ranges::shuffle(place, std::mt19937(4));
  Integrals moved(6, true, kHost);
  moved.set_core_energy(integrals.core_energy());
  for (const Spin a : {Spin::alpha, Spin::beta})
    for (int p = 0; p < 6; ++p)
      for (int q = 0; q <= p; ++q) {
        moved.set_one(a, place[p], place[q], integrals.one(a, p, q));
        for (const Spin b : {Spin::alpha, Spin::beta})
          for (int r = 0; r < 6; ++r)
            for (int s = 0; s <= r; ++s)
              moved.set_two(a, place[p], place[q], b, place[r], place[s],
                            integrals.two(a, p, q, b, r, s));
      }
  const auto moved_string = [&](const String& string) {
    String result;
    string.for_each([&](int p) { result = result.with(place[p]); });
    return result;
  };
  const Determinant start = aufbau(3, 2);
  SmallSelectedCi here(integrals, system.electrons, 2, {start});
  SmallSelectedCi there(moved, system.electrons, 2,
                        {{moved_string(start.alpha), moved_string(start.beta)}});
  for (const double epsilon : {0.8, 0.4}) {
    here.converge(epsilon);
    there.converge(epsilon);
    std::vector<Determinant> expected;
    for (const Determinant& one : test::unpacked(here.list()))
      expected.push_back({moved_string(one.alpha), moved_string(one.beta)});
    std::ranges::sort(expected);
    ASSERT_EQ(test::unpacked(there.list()), expected);
    ASSERT_LT(std::ssize(expected), 300);
    const PerturbationResult a = here.perturbation(0);
    const PerturbationResult b = there.perturbation(0);
    for (int s = 0; s < 2; ++s) {
      EXPECT_NEAR(here.energies()[s], there.energies()[s], 1e-10);
      EXPECT_NEAR(a.states[s].energy, b.states[s].energy, 1e-10);
      EXPECT_NEAR(a.states[s].variance, b.states[s].variance, 1e-10);
    }
  }
}

}  // namespace
}  // namespace cisolve::ci
