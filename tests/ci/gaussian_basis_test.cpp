#include "ci/fock/basis/gaussian_basis.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "ci/fock/basis/orbital_values.hpp"
#include "tests/ci/hosts.hpp"

// Gaussian functions, their overlaps and values.
namespace cisolve::ci {
namespace {

using test::kHost;
using ::testing::HasSubstr;

/// Shells of all momenta at two places.
GaussianBasis basis_of_all_momenta(bool is_spherical) {
  GaussianBasis basis{.is_spherical = is_spherical,
                      .nuclei = {{.atomic_number = 1, .charge = 1, .place = {0.1, -0.2, 0.3}},
                                 {.atomic_number = 2, .charge = 2, .place = {0.9, 0.5, -0.7}}}};
  for (int l = 0; l <= kHighestMomentum; ++l)
    basis.shells.push_back({.nucleus = l % 2,
                            .momentum = l,
                            .exponents = {0.7 + 0.1 * l, 2.1},
                            .coefficients = {0.6, 0.4}});
  return basis;
}

/// The place of a function and of the shell it belongs to.
int first_of(const GaussianBasis& basis, int momentum) {
  return basis.first_functions()[static_cast<std::size_t>(momentum)];
}

TEST(GaussianBasis, OverlapOfTwoSphericalGaussiansIsItsClosedForm) {
  const double a = 0.8;
  const double b = 1.7;
  const double distance = 1.3;
  const GaussianBasis basis{.nuclei = {{}, {.place = {0, distance, 0}}},
                            .shells = {{.nucleus = 0, .exponents = {a}, .coefficients = {-2}},
                                       {.nucleus = 1, .exponents = {b}, .coefficients = {0.1}}}};
  const double expected = -std::pow(2 * std::sqrt(a * b) / (a + b), 1.5) *
                          std::exp(-a * b / (a + b) * distance * distance);
  const base::SmallMatrix s = overlap_of(basis, kHost);
  EXPECT_NEAR(s(0, 1), expected, 1e-15);
  EXPECT_NEAR(s(1, 1), 1, 1e-15);
}

TEST(GaussianBasis, SphericalFunctionsOfAShellAreOrthonormal) {
  const GaussianBasis basis = basis_of_all_momenta(true);
  const base::SmallMatrix s = overlap_of(basis, kHost);
  for (int l = 0; l <= kHighestMomentum; ++l)
    for (int i = 0; i <= 2 * l; ++i)
      for (int j = 0; j <= 2 * l; ++j)
        EXPECT_NEAR(s(first_of(basis, l) + i, first_of(basis, l) + j), i == j, 1e-13) << l;
}

TEST(GaussianBasis, CartesianFunctionsAreNormalisedInTheirOrder) {
  const GaussianBasis basis = basis_of_all_momenta(false);
  const base::SmallMatrix s = overlap_of(basis, kHost);
  for (int k = 0; k < s.rows(); ++k) EXPECT_NEAR(s(k, k), 1, 1e-13);
  const int d = first_of(basis, 2);                          // xx xy xz yy yz zz
  EXPECT_NEAR(s(d, d + 3), 1.0 / 3, 1e-13);                  // xx with yy
  EXPECT_NEAR(s(d, d + 5), 1.0 / 3, 1e-13);                  // xx with zz
  EXPECT_NEAR(s(d, d + 1), 0, 1e-13);                        // xx with xy
  const int f = first_of(basis, 3);                          // xxx xxy xxz xyy xyz xzz ...
  EXPECT_NEAR(s(f, f + 3), 3 / std::sqrt(15.0 * 3), 1e-13);  // xxx with xyy
}

TEST(OrbitalValues, IntegrateToTheOverlaps) {
  for (const bool is_spherical : {true, false}) {
    const GaussianBasis basis = basis_of_all_momenta(is_spherical);
    const int n = basis.functions();
    base::SmallMatrix unit(n, n);
    for (int k = 0; k < n; ++k) unit(k, k) = 1;
    const OrbitalValues values(basis, unit);
    const double step = 0.25;
    const int points = 49;
    const double start = -0.5 * step * (points - 1);
    const base::SmallMatrix expected = overlap_of(basis, kHost);
    base::SmallMatrix found(n, n);
    std::vector<double> line(static_cast<std::size_t>(n * points));
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j) {
        values.on_line({start + step * i, start + step * j, start}, step, points, line);
        for (int p = 0; p < n; p += 11)
          for (int q = 0; q < n; ++q)
            for (int z = 0; z < points; ++z)
              found(p, q) += step * step * step * line[static_cast<std::size_t>(p * points + z)] *
                             line[static_cast<std::size_t>(q * points + z)];
      }
    for (int p = 0; p < n; p += 11)
      for (int q = 0; q < n; ++q)
        EXPECT_NEAR(found(p, q), expected(p, q), 1e-7) << is_spherical << ' ' << p << ' ' << q;
  }
}

TEST(OrbitalValues, SphericalFunctionsHaveTheirSigns) {
  // The d functions in their order: xy, yz, 2 zz - xx - yy, xz, xx - yy.
  const GaussianBasis basis{.nuclei = {{}},
                            .shells = {{.momentum = 2, .exponents = {1}, .coefficients = {1}}}};
  base::SmallMatrix unit(5, 5);
  for (int k = 0; k < 5; ++k) unit(k, k) = 1;
  const OrbitalValues values(basis, unit);
  std::vector<double> at(5);
  const std::array<double, 3> r = {0.3, 0.5, 0.7};
  values.on_line(r, 1, 1, at);
  const double scale = at[0] / (r[0] * r[1]);
  EXPECT_GT(scale, 0);
  EXPECT_NEAR(at[1], scale * r[1] * r[2], 1e-14);
  EXPECT_NEAR(at[2], scale * (2 * r[2] * r[2] - r[0] * r[0] - r[1] * r[1]) / (2 * std::sqrt(3.0)),
              1e-14);
  EXPECT_NEAR(at[3], scale * r[0] * r[2], 1e-14);
  EXPECT_NEAR(at[4], scale * (r[0] * r[0] - r[1] * r[1]) / 2, 1e-14);
}

TEST(GaussianBasis, ThatCannotBeIsRefusedWithItsPlace) {
  const GaussianBasis sound = basis_of_all_momenta(true);
  require_sound(sound, "a.h5");
  const auto expect_refused = [&](const std::function<void(GaussianBasis&)>& change,
                                  std::string_view words) {
    GaussianBasis basis = sound;
    change(basis);
    try {
      require_sound(basis, "a.h5");
      ADD_FAILURE() << words;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
      EXPECT_THAT(error.what(), HasSubstr(std::string(words)));
    }
  };
  expect_refused([](GaussianBasis& b) { b.nuclei.clear(); }, "a.h5: no atoms");
  expect_refused([](GaussianBasis& b) { b.nuclei[1].atomic_number = 119; },
                 "atom 2: atomic number 119; expected 1 to 118");
  expect_refused([](GaussianBasis& b) { b.nuclei[0].place[1] = NAN; }, "atom 1: its charge or a");
  expect_refused([](GaussianBasis& b) { b.shells[2].nucleus = 2; },
                 "shell 3: atom 3; expected 1 to 2");
  expect_refused([](GaussianBasis& b) { b.shells[2].momentum = 7; },
                 "shell 3: angular momentum 7; expected 0 to 6");
  expect_refused([](GaussianBasis& b) { b.shells[2].exponents.pop_back(); },
                 "shell 3: 1 exponents and 2 coefficients");
  expect_refused([](GaussianBasis& b) { b.shells[2].exponents[0] = 0; },
                 "shell 3: exponent 0; expected a positive number");
  expect_refused(
      [](GaussianBasis& b) {
        b.shells[2].coefficients = {0, 0};
      },
      "shell 3: its functions vanish");
  expect_refused([](GaussianBasis& b) { b.shells.clear(); }, "0 basis functions; expected 1 to");
}

}  // namespace
}  // namespace cisolve::ci
