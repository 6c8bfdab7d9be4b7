#include "ci/properties/three_particle_density.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/tile_products.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/state_oracle.hpp"
#include "tests/support/vectors.hpp"

// Densities of three particles and contractions of four, against operators that act one by one.
namespace cisolve::ci {
namespace {

using ::testing::HasSubstr;

std::vector<double> random_integrals_of(Index n) {
  const base::MultiVector values = test::random_vectors(n * n * n * n, 1, 5);
  std::vector<double> integrals(n * n * n * n);
  const auto pair = [n](Index p, Index q) { return std::max(p, q) * n + std::min(p, q); };
  for (Index p = 0; p < n; ++p)
    for (Index q = 0; q < n; ++q)
      for (Index r = 0; r < n; ++r)
        for (Index s = 0; s < n; ++s) {
          const Index bra = std::max(pair(p, q), pair(r, s));
          const Index ket = std::min(pair(p, q), pair(r, s));
          integrals[((p * n + q) * n + r) * n + s] = values(bra * n * n + ket, 0);
        }
  return integrals;
}

struct Found {
  std::vector<double> one, two, three, ca, ac;
};

Found found_for(const Space& space, const double* x, const base::Backend& backend) {
  const Index n = space.orbitals();
  const std::vector<double> integrals = random_integrals_of(n);
  Found found{std::vector<double>(n * n),
              std::vector<double>(n * n * n * n),
              std::vector<double>(n * n * n * n * n * n, NAN),
              {},
              {}};
  found.ca = found.ac = found.three;
  three_particle_density(space, x, backend, {found.one, found.two, found.three});
  contract_four_particle_density(space, x, backend, {integrals, found.ca, found.ac});
  return found;
}

/// sum over spins of a+_p a_q, as a state.
test::State excited(const test::State& state, int orbitals, int p, int q) {
  test::State sum = test::created(test::annihilated(state, q), p);
  const test::State beta = test::created(test::annihilated(state, orbitals + q), orbitals + p);
  for (const auto& [occupied, amplitude] : beta) sum[occupied] += amplitude;
  return sum;
}

void add(test::State& sum, double factor, const test::State& state) {
  for (const auto& [occupied, amplitude] : state) sum[occupied] += factor * amplitude;
}

Found by_operators(const Space& space, const double* x) {
  const int n = space.orbitals();
  const Index pairs = Index{n} * n;
  const std::vector<double> integrals = random_integrals_of(n);
  const test::State state = test::state_of(space, x);
  std::vector<test::State> once;
  std::vector<test::State> twice;  // [pq][rs] = E_pq E_rs
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) once.push_back(excited(state, n, p, q));
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (const test::State& ket : once) twice.push_back(excited(ket, n, p, q));
  const auto reversed = [n](Index pair) { return pair % n * n + pair / n; };
  Found found;
  for (const test::State& ket : once) found.one.push_back(test::inner(state, ket));
  for (const test::State& ket : twice) found.two.push_back(test::inner(state, ket));
  for (Index bra = 0; bra < pairs * pairs; ++bra)
    for (const test::State& ket : once)
      found.three.push_back(
          test::inner(twice[reversed(bra % pairs) * pairs + reversed(bra / pairs)], ket));
  std::vector<test::State> ca;
  std::vector<test::State> ac;
  for (Index a = 0; a < n; ++a)
    for (Index c = 0; c < n; ++c) {
      test::State of_ca;
      test::State of_ac;
      for (Index e = 0; e < n; ++e)
        for (Index df = 0; df < pairs; ++df) {
          add(of_ca, integrals[(c * n + e) * pairs + df], twice[(a * n + e) * pairs + df]);
          add(of_ac, integrals[(a * n + e) * pairs + df], twice[(e * n + c) * pairs + df]);
        }
      ca.push_back(of_ca);
      ac.push_back(of_ac);
    }
  for (Index bra = 0; bra < pairs * pairs; ++bra) {
    const test::State& left = twice[reversed(bra % pairs) * pairs + reversed(bra / pairs)];
    for (const test::State& ket : ca) found.ca.push_back(test::inner(left, ket));
    for (const test::State& ket : ac) found.ac.push_back(test::inner(left, ket));
  }
  return found;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::abs(a[i] - b[i]);
  return most;
}

class ThreeParticleDensities : public test::BackendTest {
 protected:
  void expect_those_of_operators(const Space& space, const double* x) const {
    const Found found = found_for(space, x, backend);
    const Found expected = by_operators(space, x);
    EXPECT_LT(distance(found.one, expected.one), 1e-13);
    EXPECT_LT(distance(found.two, expected.two), 1e-13);
    EXPECT_LT(distance(found.three, expected.three), 1e-13);
    EXPECT_LT(distance(found.ca, expected.ca), 1e-12);
    EXPECT_LT(distance(found.ac, expected.ac), 1e-12);
  }

  base::Backend backend = test::backend_under_test();
};

TEST_F(ThreeParticleDensities, EqualThoseOfOperatorsThatActOneByOne) {
  for (const Sector& sector : std::vector<Sector>{
           {3, 2, 1}, {3, 1, 1}, {2, 2, 1}, {3, 0, 2}, {2, 0, 0}, {2, 2, 2}, {4, 2, 3}}) {
    SCOPED_TRACE(base::concat(sector.orbitals, " orbitals, ", sector.alpha_electrons, " + ",
                              sector.beta_electrons, " electrons"));
    const Space space = full_ci(sector, backend.host());
    expect_those_of_operators(space, test::random_states(space.dimension(), 1).block().column(0));
  }
}

TEST_F(ThreeParticleDensities, OfEvenAndOddStatesAreTwiceHalfOfTheSums) {
  const Space space = full_ci({4, 2, 2}, backend.host());
  const Index n = std::ssize(space.strings(Spin::alpha));
  const base::MultiVector x = test::random_states(space.dimension(), 1);
  for (const double sign : {1.0, -1.0})
    for (const double error : {0.0, 1e-9}) {
      SCOPED_TRACE(base::concat("sign ", sign, ", asymmetry ", error));
      base::MultiVector y = test::random_vectors(space.dimension(), 1, 3);
      for (Index a = 0; a < n; ++a)
        for (Index b = 0; b < n; ++b)
          y(a * n + b, 0) = x(a * n + b, 0) + sign * x(b * n + a, 0) + error * y(a * n + b, 0);
      expect_those_of_operators(space, y.block().column(0));
    }
}

TEST_F(ThreeParticleDensities, HaveTheSameBitsWhateverTheThreads) {
  const Sector sector{7, 3, 4};
  const Space one = full_ci(sector, base::Backend::openmp(1));
  const Space three = full_ci(sector, base::Backend::openmp(3));
  const base::MultiVector x = test::random_states(one.dimension(), 1);
  const Found expected = found_for(one, x.block().column(0), one.host());
  const Found found = found_for(three, x.block().column(0), three.host());
  EXPECT_EQ(found.three, expected.three);
  EXPECT_EQ(found.ca, expected.ca);
  EXPECT_EQ(found.ac, expected.ac);
}

TEST_F(ThreeParticleDensities, HaveTheSameBitsInEveryRun) {
  const Space space = full_ci({7, 4, 3}, backend.host());
  const base::MultiVector x = test::random_states(space.dimension(), 1);
  const Found first = found_for(space, x.block().column(0), backend);
  for (int run = 0; run < 3; ++run) {
    const Found again = found_for(space, x.block().column(0), backend);
    EXPECT_EQ(again.three, first.three);
    EXPECT_EQ(again.ca, first.ca);
    EXPECT_EQ(again.ac, first.ac);
  }
}

TEST_F(ThreeParticleDensities, TakeLessMemoryByVisitingDeterminantsSeveralTimes) {
  const Sector sector{6, 3, 3};
  constexpr Index kEnough = Index{64} << 20;
  constexpr Index kLittle = Index{2} << 20;
  Found expected;
  for (const Index bytes : {kEnough, kLittle}) {
    const Space space = full_ci(sector, base::Backend::openmp(2, {.host_bytes = bytes}));
    const base::MultiVector x = test::random_states(space.dimension(), 1);
    const Found found = found_for(space, x.block().column(0), space.host());
    const Index peak = space.host().host_memory().peak();
    if (bytes == kEnough) {
      EXPECT_GT(peak, kLittle);
      expected = found;
    } else {
      EXPECT_LE(peak, kLittle);
      EXPECT_EQ(found.ca, expected.ca);
      EXPECT_EQ(found.ac, expected.ac);
    }
  }
}

TEST_F(ThreeParticleDensities, AreRefusedWithoutMemoryForThem) {
  const Space space = full_ci({6, 3, 3}, base::Backend::openmp(1, {.host_bytes = Index{1} << 20}));
  const base::MultiVector x = test::random_states(space.dimension(), 1);
  try {
    found_for(space, x.block().column(0), space.host());
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources);
    EXPECT_THAT(error.what(), HasSubstr("raise the budget or choose a smaller problem"));
  }
}

TEST_F(ThreeParticleDensities, NeedFullCi) {
  const Sector sector{
      .orbitals = 4, .alpha_electrons = 2, .beta_electrons = 2, .irreps = {0, 1, 0, 1}, .irrep = 0};
  const Space space = full_ci(sector, backend.host());
  const base::MultiVector x = test::random_states(space.dimension(), 1);
  EXPECT_THROW(found_for(space, x.block().column(0), backend), base::Error);
}

TEST(TileProducts, AreAddedToTheSums) {
  constexpr Index kCount = 5;
  const base::MultiVector a = test::random_vectors(kProductTileRows * kCount, 1, 1);
  const base::MultiVector x = test::random_vectors(kProductTileColumns * kCount, 1, 2);
  constexpr Index kStride = kProductTileRows + 3;
  std::vector<double> sums(kStride * kProductTileColumns, 1.5);
  add_tile_products(a.block().column(0), x.block().column(0), kCount, sums.data(), kStride);
  for (Index column = 0; column < kProductTileColumns; ++column)
    for (Index row = 0; row < kStride; ++row) {
      double expected = 1.5;
      for (Index k = 0; k < kCount && row < kProductTileRows; ++k)
        expected += a(k * kProductTileRows + row, 0) * x(k * kProductTileColumns + column, 0);
      EXPECT_NEAR(sums[column * kStride + row], expected, 1e-14) << row << ", " << column;
    }
}

}  // namespace
}  // namespace cisolve::ci
