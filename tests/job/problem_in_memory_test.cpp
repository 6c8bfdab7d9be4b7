#include "job/problem/problem_in_memory.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "ci/fock/integrals/random_integrals.hpp"
#include "job/problem/determinant_problem.hpp"

// Integrals in memory whose beta electrons have orbitals of their own.
namespace cisolve::job {
namespace {

using ci::Spin;
using ::testing::HasSubstr;

constexpr int kOrbitals = 4;

ci::Integrals of_both_spins() {
  return ci::random_integrals({.orbitals = kOrbitals, .spin_dependent = true, .seed = 3},
                              base::Backend::reference());
}

/// Integrals as a user holds them in arrays: all four indices, or pairs by pairs.
GivenIntegrals in_memory(const ci::Integrals& from, bool in_pairs) {
  GivenIntegrals given{
      .orbitals = kOrbitals, .alpha = 2, .beta = 1, .one_body = {}, .two_body = {}};
  const int n = kOrbitals;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) {
      given.one_body.push_back(from.one(Spin::alpha, p, q));
      given.beta_one_body.push_back(from.one(Spin::beta, p, q));
      if (in_pairs && q > p) continue;
      for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s) {
          if (in_pairs && s > r) continue;
          given.two_body.push_back(from.two(Spin::alpha, p, q, Spin::alpha, r, s));
          given.beta_two_body.push_back(from.two(Spin::beta, p, q, Spin::beta, r, s));
          given.mixed_two_body.push_back(from.two(Spin::alpha, p, q, Spin::beta, r, s));
        }
    }
  return given;
}

std::string refusal(const GivenIntegrals& given) {
  try {
    problem_of(given, base::Backend::reference());
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(GivenIntegrals, OfBothSpinsAreReadUnchanged) {
  const ci::Integrals expected = of_both_spins();
  for (const bool in_pairs : {false, true}) {
    const auto problem = problem_of(in_memory(expected, in_pairs), base::Backend::reference());
    const ci::Integrals& found = problem.integrals;
    ASSERT_TRUE(found.spin_dependent());
    for (const Spin spin : {Spin::alpha, Spin::beta}) {
      EXPECT_TRUE(
          std::ranges::equal(found.same_spin(spin).span(), expected.same_spin(spin).span()));
      for (int p = 0; p < kOrbitals; ++p)
        for (int q = 0; q < kOrbitals; ++q)
          EXPECT_EQ(found.one(spin, p, q), expected.one(spin, p, q));
    }
    EXPECT_TRUE(std::ranges::equal(found.mixed_spin().span(), expected.mixed_spin().span()));
  }
}

// They take most of the memory of many orbitals.
TEST(GivenIntegrals, OfAllOrbitalsAreStoredOnce) {
  constexpr Index n = 40;
  constexpr Index pairs = n * (n + 1) / 2;
  GivenIntegrals given{.orbitals = static_cast<int>(n),
                       .alpha = 1,
                       .beta = 1,
                       .one_body = std::vector<double>(n * n, 0.0),
                       .two_body = {}};
  given.two_body.assign(pairs * (pairs + 1) / 2, 0.01);
  for (Index p = 0; p < n; ++p) given.one_body[p * (n + 1)] = static_cast<double>(p);
  Request request;
  request.source = ProblemSource::integrals;
  request.integrals = std::make_shared<GivenIntegrals>(std::move(given));
  const base::Backend host = base::Backend::reference();
  const DeterminantProblem molecule = open_molecule(request, host);
  EXPECT_EQ(molecule.integrals.orbitals(), n);
  EXPECT_EQ(molecule.integrals.two(Spin::alpha, 3, 2, Spin::beta, 1, 0), 0.01);
  EXPECT_EQ(molecule.integrals.one(Spin::alpha, 7, 7), 7);
  EXPECT_LT(host.memory().peak(), request.integrals->two_body.size() * sizeof(double) * 3 / 2);
}

// (pq|rs) of opposite spins is not (rs|pq): four elements are equal, not eight.
TEST(GivenIntegrals, EveryInvalidValueOfBothSpinsIsFound) {
  const GivenIntegrals whole = in_memory(of_both_spins(), false);
  const int n = kOrbitals;
  for (std::size_t place = 0; place < whole.mixed_two_body.size(); ++place) {
    const int p = static_cast<int>(place) / (n * n * n);
    const int q = static_cast<int>(place) / (n * n) % n;
    const int r = static_cast<int>(place) / n % n;
    const int s = static_cast<int>(place) % n;
    if (p == q && r == s) continue;  // no other element equals it
    GivenIntegrals given = whole;
    given.mixed_two_body[place] += 1e-3;
    EXPECT_THAT(refusal(given), HasSubstr("with its indices exchanged")) << place;
  }
}

TEST(GivenIntegrals, BlocksOfAWrongSizeAreRefusedByTheirNames) {
  const GivenIntegrals whole = in_memory(of_both_spins(), false);
  GivenIntegrals given = whole;
  given.mixed_two_body.pop_back();
  EXPECT_THAT(refusal(given),
              HasSubstr("mixed_two_body has 255 values; expected 256 (all four indices) or 100 "
                        "(pairs by pairs) for 4 orbitals"));
  given = whole;
  given.mixed_two_body.resize(55);  // a triangle, which mixed integrals lack
  EXPECT_THAT(refusal(given), HasSubstr("mixed_two_body has 55 values"));
  given = whole;
  given.beta_two_body.clear();
  EXPECT_THAT(refusal(given), HasSubstr("beta_two_body has 0 values"));
  given = whole;
  given.beta_one_body.pop_back();
  EXPECT_THAT(refusal(given), HasSubstr("beta_one_body has 15 values; expected 16"));
}

}  // namespace
}  // namespace cisolve::job
