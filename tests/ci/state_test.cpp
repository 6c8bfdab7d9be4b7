#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/random.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "ci/properties/density.hpp"
#include "ci/properties/single_excitations.hpp"
#include "ci/properties/spin_squared.hpp"
#include "ci/properties/string_pairs.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/state_oracle.hpp"
#include "tests/support/vectors.hpp"

// Properties of a state against creation and annihilation operators applied one by one.
namespace cisolve::ci {
namespace {

using test::kHost;

struct NamedSpace {
  std::string name;
  Space space;
  bool is_closed;  // whether it is closed under S^2
};

/// Every third determinant of full CI.
Space scattered(const Sector& sector) {
  const Space whole = full_ci(sector, kHost);
  std::vector<Determinant> picked;
  for (Index row = 0; row < whole.dimension(); ++row)
    if (base::mix(static_cast<std::uint64_t>(row)) % 3 == 0)
      picked.push_back(whole.determinant(row));
  return list_space(sector, picked, kHost);
}

std::vector<NamedSpace> spaces() {
  const std::vector<int> irreps = {0, 1, 0, 2, 3};
  const std::vector<Determinant> closed = {aufbau(2, 2)};
  const std::vector<Determinant> open = {aufbau(3, 1)};
  const std::vector<Determinant> open_singlet = {parse_determinant("2ud00", 5)};
  std::vector<NamedSpace> all;
  all.push_back({"full CI", full_ci({5, 2, 2}, kHost), true});
  all.push_back({"full CI, Ms = 1", full_ci({5, 3, 1}, kHost), true});
  all.push_back({"full CI, Ms = -1/2", full_ci({5, 2, 3}, kHost), true});
  all.push_back({"one electron", full_ci({4, 1, 0}, kHost), true});
  all.push_back({"no electrons", full_ci({3, 0, 0}, kHost), true});
  all.push_back({"one irrep", full_ci({5, 3, 2, irreps, 1}, kHost), true});
  all.push_back({"CISD", excited_space({5, 2, 2}, closed, levels_up_to(2), kHost), true});
  all.push_back({"CIS", excited_space({5, 2, 2}, closed, levels_up_to(1), kHost), true});
  all.push_back({"CISD, high spin", excited_space({5, 3, 1}, open, levels_up_to(2), kHost), false});
  all.push_back({"CIS, one determinant of an open shell",
                 excited_space({5, 2, 2}, open_singlet, levels_up_to(1), kHost), false});
  all.push_back({"RAS", restricted_active_space({6, 3, 2}, {{0, 1}, {4, 5}, 1, 1}, kHost), true});
  all.push_back({"list", scattered({5, 3, 2}), false});
  return all;
}

TEST(SpinSquared, AgreesWithTheOracleInEverySpace) {
  for (const auto& [name, space, is_closed] : spaces()) {
    SCOPED_TRACE(name);
    const SpinSquared s2(space);
    const auto x = test::random_states(space.dimension(), 2);
    base::MultiVector y(kHost, space.dimension(), 2);
    s2.apply(x.block(), y.block());
    for (int j = 0; j < 2; ++j) {
      double found = 0;
      for (Index i = 0; i < x.rows(); ++i) found += x(i, j) * y(i, j);
      const test::State state = test::state_of(space, x.block().column(j));
      EXPECT_NEAR(found, test::spin_squared(state, space.orbitals()), 1e-12);
    }
    base::MultiVector diagonal(kHost, space.dimension(), 1);
    ASSERT_TRUE(s2.diagonal(diagonal.block()));
    for (Index row = 0; row < space.dimension(); ++row) {
      const test::State one = {{test::occupations(space.determinant(row), space.orbitals()), 1.0}};
      ASSERT_NEAR(diagonal(row, 0), test::spin_squared(one, space.orbitals()), 1e-13);
    }
  }
}

/// First row whose image under S^2 leaves the space, found determinant by determinant; -1: none.
Index first_row_that_leaves(const Space& space) {
  const int n = space.orbitals();
  for (Index row = 0; row < space.dimension(); ++row) {
    const Determinant determinant = space.determinant(row);
    for (const int p : (determinant.alpha - determinant.beta).orbitals())
      for (const int q : (determinant.beta - determinant.alpha).orbitals())
        if (p < n && !space.row_of({determinant.alpha.without(p).with(q),
                                    determinant.beta.without(q).with(p)}))
          return row;
  }
  return -1;
}

TEST(SpinSquared, DetectsSpacesThatAreNotClosedUnderSpin) {
  for (const auto& [name, space, is_closed] : spaces()) {
    SCOPED_TRACE(name);
    const Index row = SpinSquared(space).first_unclosed_row();
    EXPECT_EQ(row, first_row_that_leaves(space));
    EXPECT_EQ(row < 0, is_closed);
  }
}

TEST(Density, OfOneParticleEqualsThatOfTheOracle) {
  for (const auto& [name, space, is_closed] : spaces()) {
    SCOPED_TRACE(name);
    const int n = space.orbitals();
    const auto x = test::random_states(space.dimension(), 2);
    const test::State bra = test::state_of(space, x.block().column(0));
    const test::State ket = test::state_of(space, x.block().column(1));
    const auto own = one_particle_density(space, x.block().column(0));
    const auto between = transition_density(space, x.block().column(0), x.block().column(1));
    for (const Spin spin : {Spin::alpha, Spin::beta})
      for (int p = 0; p < n; ++p)
        for (int q = 0; q < n; ++q) {
          const int shift = spin == Spin::alpha ? 0 : n;
          const test::State left = test::annihilated(bra, shift + p);
          ASSERT_NEAR(own(spin, p, q), test::inner(left, test::annihilated(bra, shift + q)), 1e-13);
          ASSERT_NEAR(between(spin, p, q), test::inner(left, test::annihilated(ket, shift + q)),
                      1e-13);
        }
  }
}

// Strings are processed in batches of some thousands.
TEST(Density, OfManyStringsCountsEachOfThem) {
  const Space space = full_ci({16, 5, 0}, kHost);
  ASSERT_GT(space.dimension(), 4096);
  const base::MultiVector x = test::random_states(space.dimension(), 1);
  std::vector<double> occupied(16, 0);
  for (Index row = 0; row < space.dimension(); ++row)
    space.determinant(row).alpha.for_each([&](int p) { occupied[p] += x(row, 0) * x(row, 0); });
  const OneParticleDensity density = one_particle_density(space, x.block().column(0));
  for (int p = 0; p < 16; ++p) EXPECT_NEAR(density(Spin::alpha, p, p), occupied[p], 1e-12) << p;
}

using Taken = std::map<std::pair<int, int>, test::State>;

/// a_s a_q of a state, for all spin orbitals.
Taken with_two_taken(const test::State& state, int orbitals) {
  Taken taken;
  for (int q = 0; q < 2 * orbitals; ++q)
    for (int s = 0; s < 2 * orbitals; ++s)
      taken[{q, s}] = test::annihilated(test::annihilated(state, q), s);
  return taken;
}

void expect_overlaps(const TwoParticleDensity& two, const Taken& bra, const Taken& ket, int n) {
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s) {
          const auto expected = [&](int first, int second) {
            return test::inner(bra.at({first + p, second + r}), ket.at({first + q, second + s}));
          };
          ASSERT_NEAR(two.same(Spin::alpha, p, q, r, s), expected(0, 0), 1e-13);
          ASSERT_NEAR(two.same(Spin::beta, p, q, r, s), expected(n, n), 1e-13);
          ASSERT_NEAR(two.mixed(p, q, r, s), expected(0, n), 1e-13);
          ASSERT_NEAR(two.spin_free(p, q, r, s),
                      expected(0, 0) + expected(n, n) + expected(0, n) + expected(n, 0), 1e-13);
        }
}

TEST(Density, OfTwoParticlesEqualsThatOfTheOracle) {
  for (const auto& [name, space, is_closed] : spaces()) {
    SCOPED_TRACE(name);
    const auto x = test::random_states(space.dimension(), 2);
    const double* const bra = x.block().column(0);
    const double* const ket = x.block().column(1);
    const Taken from_bra = with_two_taken(test::state_of(space, bra), space.orbitals());
    const Taken from_ket = with_two_taken(test::state_of(space, ket), space.orbitals());
    expect_overlaps(TwoParticleDensity(space, bra), from_bra, from_bra, space.orbitals());
    expect_overlaps(TwoParticleDensity(space, bra, ket), from_bra, from_ket, space.orbitals());
  }
}

/// The determinants of a space with every orbital shifted up by `offset`.
Space shifted(const Space& small, const Sector& sector, int offset) {
  std::vector<Determinant> list;
  for (Index row = 0; row < small.dimension(); ++row) {
    const Determinant determinant = small.determinant(row);
    Determinant image;
    determinant.alpha.for_each([&](int p) { image.alpha = image.alpha.with(p + offset); });
    determinant.beta.for_each([&](int p) { image.beta = image.beta.with(p + offset); });
    list.push_back(image);
  }
  return list_space({sector.orbitals + offset, sector.alpha_electrons, sector.beta_electrons}, list,
                    kHost);
}

TEST(Density, AcrossWordBordersEqualsThatWithinOneWord) {
  constexpr int offset = 61;
  const Sector sector{5, 3, 3};
  const Space small = full_ci(sector, kHost);
  const Space large = shifted(small, sector, offset);
  const auto x =
      test::random_states(small.dimension(), 1);  // shifting keeps the order of the determinants
  const double* state = x.block().column(0);
  const auto one = one_particle_density(small, state);
  const auto far_one = one_particle_density(large, state);
  const TwoParticleDensity two(small, state);
  const TwoParticleDensity far_two(large, state);
  for (int p = 0; p < 5; ++p)
    for (int q = 0; q < 5; ++q) {
      for (const Spin spin : {Spin::alpha, Spin::beta})
        ASSERT_EQ(far_one(spin, p + offset, q + offset), one(spin, p, q));
      for (int r = 0; r < 5; ++r)
        for (int s = 0; s < 5; ++s) {
          const int a = p + offset, b = q + offset, c = r + offset, d = s + offset;
          ASSERT_EQ(far_two.mixed(a, b, c, d), two.mixed(p, q, r, s));
          for (const Spin spin : {Spin::alpha, Spin::beta})
            ASSERT_EQ(far_two.same(spin, a, b, c, d), two.same(spin, p, q, r, s));
        }
    }
}

TEST(SingleExcitations, HasTheSignOfTheElectronsBetweenWhateverTheWords) {
  const Sector sector{8, 4, 4};
  const Space small = full_ci(sector, kHost);
  for (const int offset : {0, 58, 61, 63, 123, 188, 248}) {
    const Space space = shifted(small, sector, offset);
    for (const Spin spin : {Spin::alpha, Spin::beta}) {
      const SingleExcitations table(space, spin);
      const auto strings = space.strings(spin);
      for (Index s = 0; s < std::ssize(strings); ++s) {
        EXPECT_EQ(table.of(s).size(), 4 * 4);
        for (const SingleExcitation& move : table.of(s)) {
          ASSERT_EQ(strings[move.target], strings[s].without(move.from).with(move.to));
          int between = 0;
          for (int p = std::min(move.from, move.to) + 1; p < std::max(move.from, move.to); ++p)
            between += strings[s].has(p) ? 1 : 0;
          ASSERT_EQ(move.odd, between % 2 == 1) << move.from << " to " << move.to;
        }
      }
    }
  }
}

TEST(Density, GivesTheExpectationOfTheHamiltonian) {
  for (const bool spin_dependent : {false, true})
    for (const auto& [name, space, is_closed] : spaces()) {
      SCOPED_TRACE(name);
      const Integrals integrals = test::random_integrals(space.orbitals(), spin_dependent, 5, {});
      const auto x = test::random_states(space.dimension(), 1);
      base::MultiVector y(kHost, space.dimension(), 1);
      OracleOperator(space, integrals).apply(x.block(), y.block());
      double expected = 0;
      for (Index i = 0; i < x.rows(); ++i) expected += x(i, 0) * y(i, 0);
      const double* state = x.block().column(0);
      EXPECT_NEAR(
          energy(integrals, one_particle_density(space, state), TwoParticleDensity(space, state)),
          expected, 1e-12);
    }
}

TEST(Density, GivesTheSpinThatTheOperatorGives) {
  for (const auto& [name, space, is_closed] : spaces()) {
    SCOPED_TRACE(name);
    base::MultiVector x = test::random_vectors(space.dimension(), 1, 7);
    const auto product = [&](const base::MultiVector& y) {
      double sum = 0;
      for (Index row = 0; row < x.rows(); ++row) sum += x(row, 0) * y(row, 0);
      return sum;
    };
    const double norm = std::sqrt(product(x));
    for (Index row = 0; row < x.rows(); ++row) x(row, 0) /= norm;
    base::MultiVector s2_times(kHost, x.rows(), 1);
    SpinSquared(space).apply(std::as_const(x).block(), s2_times.block());
    const TwoParticleDensity density(space, x.block().column(0));
    EXPECT_NEAR(density.spin_squared(space.electrons(Spin::alpha), space.electrons(Spin::beta)),
                product(s2_times), 1e-12);
  }
}

TEST(Density, HasTheSameBitsForAnyNumberOfThreads) {
  const base::Backend one = base::Backend::openmp(1);
  const base::Backend two = base::Backend::openmp(2);
  const Space first = full_ci({6, 3, 3}, one);
  const Space second = full_ci({6, 3, 3}, two);
  const auto x = test::random_states(first.dimension(), 1);
  const double* state = x.block().column(0);
  const TwoParticleDensity a(first, state);
  const TwoParticleDensity b(second, state);
  for (int p = 0; p < 6; ++p)
    for (int q = 0; q < 6; ++q)
      for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) ASSERT_EQ(a.spin_free(p, q, r, s), b.spin_free(p, q, r, s));
}

TEST(Density, IsRefusedWhereItDoesNotFit) {
  const base::Backend small = base::Backend::openmp(1, {Index{1} << 22, 0});
  const Space space = full_ci({60, 1, 1}, small);
  const std::vector<double> x(space.dimension(), 1.0);
  EXPECT_GT(TwoParticleDensity::bytes(60), Index{100} << 20);
  EXPECT_THROW(TwoParticleDensity(space, x.data()), base::Error);
}

/// Strings and targets of all pairs, in order.
std::vector<std::pair<StringNumber, StringNumber>> all_pairs(const base::Backend& host) {
  const Space space = full_ci({14, 7, 0}, host);
  std::vector<std::pair<StringNumber, StringNumber>> all;
  StringPairs(space, Spin::alpha, 2).for_each_batch([&](const PairBatch& batch) {
    for (const StringPair& pair : batch.pairs.span()) all.emplace_back(pair.string, pair.target);
  });
  return all;
}

// All pairs of the 3432 strings together would take 27 MB.
TEST(StringPairs, AreFoundWithinTheAvailableMemory) {
  EXPECT_EQ(all_pairs(base::Backend::openmp(2, {.host_bytes = 4 << 20})), all_pairs(kHost));
}

TEST(StringPairs, AreCachedIfSmallAndTheSameOtherwise) {
  constexpr Index strings = 70;  // each compared with itself, 16 singles and 36 doubles
  constexpr Index once = strings + strings * (16 + 36) / 2;
  for (const Index budget : {Index{1} << 30, Index{400'000}}) {
    const base::Backend host = base::Backend::openmp(2, {budget, 0});
    const Space space = full_ci({8, 4, 4}, host);
    const StringPairs pairs(space, Spin::alpha, 2);
    const Index before = host.memory().used();
    std::vector<std::pair<Column, Column>> found[2];
    for (auto& list : found)
      pairs.for_each_batch([&](const PairBatch& batch) {
        EXPECT_GE(host.memory().used() - before, batch.pairs.bytes());
        for (const StringPair& pair : batch.pairs.span())
          list.emplace_back(pair.string, pair.target);
      });
    EXPECT_EQ(std::ssize(found[0]), once);
    EXPECT_EQ(found[0], found[1]);
    const Index kept = host.memory().used() - before;
    EXPECT_EQ(kept > 0, budget > 1'000'000) << kept;
  }
}

}  // namespace
}  // namespace cisolve::ci
