#include "ci/fock/strings/window.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "ci/fock/integrals/random_integrals.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/spectrum.hpp"

namespace cisolve::ci {
namespace {

using test::kSerial;

Window window(int orbitals, const OrbitalChoice& frozen,
              const std::optional<OrbitalChoice>& active = std::nullopt) {
  return make_window(orbitals, frozen, active);
}

Integrals some_integrals(bool spin_dependent) {
  Integrals integrals = random_integrals({.orbitals = 6,
                                          .spin_dependent = spin_dependent,
                                          .level_spacing = 0.5,
                                          .coupling = 0.4,
                                          .irreps = {0, 1, 0, 2, 3, 1},
                                          .seed = 11},
                                         kSerial);
  integrals.set_core_energy(-3.25);
  return integrals;
}

/// The explicit space: all determinants with the frozen orbitals full and the dropped ones empty.
std::vector<Determinant> explicit_space(const Window& w, int orbitals, int alpha, int beta) {
  std::vector<Determinant> chosen;
  const String frozen = String::of(w.frozen);
  const String inside = frozen | String::of(w.active);
  for (const Determinant& d : test::all_determinants(orbitals, alpha, beta))
    if ((frozen - d.alpha).empty() && (frozen - d.beta).empty() && (d.alpha - inside).empty() &&
        (d.beta - inside).empty())
      chosen.push_back(d);
  return chosen;
}

TEST(WindowTest, FoldedEnergiesEqualThoseOfTheExplicitSpace) {
  const Window windows[] = {window(6, 0),
                            window(6, 1),
                            window(6, 2, 3),
                            window(6, std::vector<int>{2, 5}),
                            window(6, std::vector<int>{4}, std::vector<int>{6, 1, 3}),
                            window(6, 3, 1)};
  for (const bool spin_dependent : {false, true}) {
    const Integrals whole = some_integrals(spin_dependent);
    for (const Window& w : windows) {
      const auto [alpha, beta] = electrons_in(w, 4, 3);
      const Eigen::VectorXd folded =
          test::full_ci_spectrum(fold_frozen_core(whole, w, kSerial), alpha, beta);
      const Eigen::VectorXd listed = test::spectrum(whole, explicit_space(w, 6, 4, 3));
      ASSERT_EQ(folded.size(), listed.size());
      EXPECT_LT((folded - listed).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(WindowTest, KeepsTheFilesOrderAndTheIrreps) {
  const Window w = window(6, std::vector<int>{3}, std::vector<int>{5, 1, 4});
  EXPECT_EQ(w.frozen, std::vector<int>{2});
  EXPECT_EQ(w.active, (std::vector<int>{0, 3, 4}));
  EXPECT_EQ(fold_frozen_core(some_integrals(false), w, kSerial).irreps(),
            (std::vector<int>{0, 2, 3}));
}

TEST(WindowTest, ACountOfActiveOrbitalsIsTakenAfterTheFrozenOnes) {
  EXPECT_EQ(window(6, 1, 3).active, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(window(6, std::vector<int>{2}, 3).active, (std::vector<int>{0, 2, 3}));
}

TEST(WindowTest, ReachesAcrossTheWordBorder) {
  Integrals wide(130, false, kSerial);
  const Integrals narrow = some_integrals(false);
  const std::vector<int> at = {61, 62, 63, 64, 127, 128};
  for (int p = 0; p < 6; ++p)
    for (int q = 0; q <= p; ++q) {
      wide.set_one(Spin::alpha, at[p], at[q], narrow.one(Spin::alpha, p, q));
      for (int r = 0; r < 6; ++r)
        for (int s = 0; s <= r; ++s)
          wide.set_two(Spin::alpha, at[p], at[q], Spin::alpha, at[r], at[s],
                       narrow.two(Spin::alpha, p, q, Spin::alpha, r, s));
    }
  wide.set_core_energy(narrow.core_energy());
  const Integrals folded = fold_frozen_core(
      wide, window(130, std::vector<int>{62}, std::vector<int>{63, 64, 65, 128, 129}), kSerial);
  const Eigen::VectorXd here = test::full_ci_spectrum(folded, 2, 1);
  const Eigen::VectorXd there =
      test::full_ci_spectrum(fold_frozen_core(narrow, window(6, 1), kSerial), 2, 1);
  EXPECT_LT((here - there).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(WindowTest, DeterminantsOfAllOrbitalsBecomeThoseOfTheWindow) {
  const Window w = window(6, std::vector<int>{2}, std::vector<int>{1, 4, 6});
  const auto inside = [&](const char* text) {
    return to_text(determinant_in(w, parse_determinant(text, 6)), 3);
  };
  EXPECT_EQ(inside("22000u"), "20u");
  EXPECT_EQ(inside("d20200"), "d20");
  EXPECT_THROW(inside("2u0000"), base::Error);
  EXPECT_THROW(inside("02u000"), base::Error);
}

TEST(WindowTest, RefusesImpossibleWindows) {
  const std::function<void()> calls[] = {
      [] { window(6, -1); },
      [] { window(6, 7); },
      [] { window(6, 6); },
      [] { window(6, 2, 5); },
      [] { window(6, std::vector<int>{0}); },
      [] { window(6, std::vector<int>{7}); },
      [] {
        window(6, std::vector<int>{2, 2});
      },
      [] {
        window(6, std::vector<int>{2}, std::vector<int>{1, 2});
      },
      [] { electrons_in(window(6, 3), 2, 4); },
      [] { electrons_in(window(6, 1, 2), 4, 2); },
  };
  for (const auto& call : calls) EXPECT_THROW(call(), base::Error);
}

}  // namespace
}  // namespace cisolve::ci
