#include "job/states/row_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "ci/hamiltonian/factorised/factorised.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "job/methods/methods.hpp"
#include "job/run/run.hpp"
#include "solver/vectors/columns.hpp"
#include "tests/support/hamiltonians.hpp"
#include "tests/support/vectors.hpp"

// Products compared in a sample of rows with those of an independent operator.
namespace cisolve::job {
namespace {

constexpr Index kHeavy = 2048;
constexpr Index kDraws = 16384;

/// Two states with more rows than a sample, with most weight in the first and the last ones.
class RowSampleTest : public ::testing::Test {
 protected:
  RowSampleTest()
      : molecule_(test::named("full CI", test::random_integrals(10, false, 11, {}),
                              ci::full_ci({10, 5, 5}, base::Backend::openmp()))),
        states_(test::random_vectors(molecule_.space->dimension(), 2, 5)) {
    for (Index row = 0; row < states_.rows(); ++row) {
      if (row >= kHeavy / 2) states_(row, 0) *= 1e-9;
      if (row < states_.rows() - kHeavy / 2) states_(row, 1) *= 1e-9;
    }
  }

  const ci::Space& space() const { return *molecule_.space; }
  RowSample sample(std::uint64_t seed) const { return RowSample::of(states_, seed); }

  test::NamedHamiltonian molecule_;
  base::MultiVector states_;
};

TEST_F(RowSampleTest, HasTheHeaviestRowsOfEachStateAndOthersByTheSeed) {
  const RowSample found = sample(1);
  EXPECT_EQ(found.by_chance, kDraws);
  EXPECT_TRUE(std::ranges::is_sorted(found.rows, std::less_equal()));  // each once
  EXPECT_GE(found.rows.front(), 0);
  EXPECT_LT(found.rows.back(), space().dimension());
  const auto is_there = [&](Index row) { return std::ranges::binary_search(found.rows, row); };
  for (Index i = 0; i < kHeavy / 2; ++i) {
    EXPECT_TRUE(is_there(i)) << i;
    EXPECT_TRUE(is_there(space().dimension() - 1 - i)) << i;
  }
  EXPECT_EQ(sample(1).rows, found.rows);
  EXPECT_NE(sample(2).rows, found.rows);
  EXPECT_NEAR(found.detectable_fraction(), 1.828e-4, 1e-7);  // 0.9998172^16384 = 0.05
}

TEST_F(RowSampleTest, DrawsEachRowWithTheSameChance) {
  const std::vector<Index> rows = sample(1).rows;
  // Rows of one eighth: 16384 draws hit a fraction 1 - exp(-16384/63504) = 0.2274.
  constexpr int kParts = 8;
  std::array<Index, kParts> met{};
  for (const Index row : rows)
    if (row >= kHeavy / 2 && row < space().dimension() - kHeavy / 2)
      ++met[row * kParts / space().dimension()];
  for (int part = 1; part < kParts - 1; ++part)
    EXPECT_NEAR(static_cast<double>(met[part]) / 7938, 0.2274, 0.02) << part;
  std::vector<bool> alphas(252, false);
  std::vector<bool> betas(252, false);
  for (const Index row : rows) {
    alphas[space().place_of(row).alpha] = true;
    betas[space().place_of(row).beta] = true;
  }
  EXPECT_EQ(std::ranges::count(alphas, false), 0);
  EXPECT_EQ(std::ranges::count(betas, false), 0);
}

/// A product with a planted fault, added in some rows of its second vector.
class Faulty final : public base::LinearOperator {
 public:
  Faulty(const ci::HamiltonianRows& h, std::function<double(Index row)> error)
      : right_(ci::FactorisedHamiltonian(h).product(base::Backend::openmp())),
        error_(std::move(error)) {}
  Index rows() const override { return right_->rows(); }
  bool diagonal(base::Block d) const override { return right_->diagonal(d); }
  void apply(base::ConstBlock x, base::Block y) const override {
    right_->apply(x, y);
    for (Index row = 0; row < rows(); ++row) y(row, x.columns - 1) += error_(row);
  }

 private:
  std::unique_ptr<base::LinearOperator> right_;
  std::function<double(Index row)> error_;
};

/// Takes random vectors for states: only the comparison of products counts.
class Comparison : public RowSampleTest {
 protected:
  solver::Verification compared(const base::LinearOperator& first) const {
    const RowSample rows = sample(1);
    const std::vector<double> energies(2, 0.0);
    solver::Verification found =
        solver::verify({first, base::Backend::openmp()}, energies, states_.block(),
                       {.certify_limit = 0, .rows = rows.rows});
    found.failures.clear();
    found.passed = true;
    const ci::OracleOperator second(space(), *molecule_.integrals);
    compare_sample(rows, {}, second_products(rows, second, states_, {}), first.rows(), found);
    return found;
  }
  solver::Verification compared(std::function<double(Index row)> error) const {
    return compared(Faulty(molecule_.rows(), std::move(error)));
  }
  solver::Verification with_row(Index row, double error) const {
    return compared([=](Index here) { return here == row ? error : 0; });
  }
  bool passes_where(const std::function<bool(const ci::Space::Place&)>& is_wrong) const {
    return compared([&](Index row) { return is_wrong(space().place_of(row)) ? 1e-9 : 0; }).passed;
  }
};

TEST_F(Comparison, AnErrorInASampledRowFailsAndOneElsewhereIsNotSeen) {
  const std::vector<Index> rows = sample(1).rows;
  const solver::Verification nothing = with_row(0, std::nan(""));
  EXPECT_FALSE(nothing.passed);
  EXPECT_TRUE(std::isnan(nothing.sample->largest_difference));
  const solver::Verification right = with_row(0, 0);
  EXPECT_TRUE(right.passed);
  EXPECT_EQ(right.sample->rows, std::ssize(rows));
  EXPECT_EQ(right.sample->of_rows, 252 * 252);
  EXPECT_LT(right.sample->largest_difference, 1e-12);
  Index outside = kHeavy;
  while (std::ranges::binary_search(rows, outside)) ++outside;
  EXPECT_TRUE(with_row(outside, 1e-3).passed);
  for (const Index row : {rows.front(), rows[rows.size() / 2], rows.back()}) {
    const solver::Verification wrong = with_row(row, 1e-9);
    EXPECT_FALSE(wrong.passed) << row;
    EXPECT_NEAR(wrong.sample->largest_difference, 1e-9, 1e-12);
    ASSERT_EQ(wrong.failures.size(), 1U);
    EXPECT_NE(
        wrong.failures[0].find("the products of state 2 by the two operators differ by 1.0e-09"),
        std::string::npos)
        << wrong.failures[0];
  }
}

TEST_F(Comparison, OfARandomVectorFindsErrorsThatNoStateShows) {
  const auto found = [&](double error) {
    const Faulty first(molecule_.rows(), [=](Index row) { return row % 97 == 0 ? error : 0; });
    solver::Verification all;
    all.passed = true;
    const RowSample rows = sample(1);
    const ci::OracleOperator second(space(), *molecule_.integrals);
    const auto wanted = [&rows]() -> const std::vector<Index>& { return rows.rows; };
    const auto ours = random_products(wanted, first, base::Backend::openmp(), 3);
    const base::MultiVector no_states(base::Backend::openmp(), first.rows(), 0);
    compare_sample(rows, ours, second_products(rows, second, no_states, 3), first.rows(), all);
    EXPECT_TRUE(all.sample->has_random);
    return all;
  };
  EXPECT_TRUE(found(0).passed);
  EXPECT_GT(found(0).sample->largest_difference, 0);
  ASSERT_EQ(found(1e-9).failures.size(), 1U);
  EXPECT_TRUE(found(1e-9).failures[0].starts_with(
      "the products of a random vector by the two operators differ by 1.0e-09"));
}

/// Three sampled rows in which products of two states and of a random vector differ as given.
solver::SampledRows compared(const std::array<double, 6>& of_states,
                             const std::array<double, 3>& of_random) {
  const RowSample sample{.rows = {0, 1, 2}, .by_chance = 3};
  solver::Verification found;
  found.passed = true;
  found.scale = 1e6;
  found.products = base::SmallMatrix(3, 2);
  SecondProducts second{.of_states = base::SmallMatrix(3, 2), .of_random = {0, 0, 0}};
  for (std::size_t k = 0; k < 6; ++k) second.of_states.values()[k] = of_states[k];
  compare_sample(sample, {of_random.begin(), of_random.end()}, second, 10, found);
  EXPECT_TRUE(found.passed);
  return found.sample.value();
}

TEST(SampleDifference, IsTheLargestOfAllRowsAndVectors) {
  EXPECT_EQ(compared({3e-9, 1e-9, 0, 0, 2e-9, 0}, {1e-9, 0, 0}).largest_difference, 3e-9);
  EXPECT_EQ(compared({0, 1e-9, 0, 0, -4e-9, 1e-9}, {1e-9, 0, 0}).largest_difference, 4e-9);
  EXPECT_EQ(compared({0, 1e-9, 0, 0, 0, 1e-9}, {0, -5e-9, 1e-9}).largest_difference, 5e-9);
}

TEST_F(Comparison, AFaultOfOneStringOfEitherSpinShows) {
  for (const Index string : {Index{5}, Index{100}, Index{251}}) {
    EXPECT_FALSE(passes_where([=](const auto& place) { return place.alpha == string; }));
    EXPECT_FALSE(passes_where([=](const auto& place) { return place.beta == string; }));
  }
}

TEST_F(Comparison, AFaultOfOneIntegralShows) {
  const auto with = [&](const std::function<void(ci::Integrals&)>& fault) {
    ci::Integrals integrals = test::random_integrals(10, false, 11, {});
    fault(integrals);
    const ci::HamiltonianRows rows(space(), integrals, *molecule_.partition, 0);
    return compared(*ci::FactorisedHamiltonian(rows).product(base::Backend::openmp())).passed;
  };
  constexpr auto kAlpha = ci::Spin::alpha;
  constexpr double kLittle = 1e-8;
  EXPECT_TRUE(with([](ci::Integrals&) {}));
  EXPECT_FALSE(with([&](ci::Integrals& integrals) {
    integrals.set_one(kAlpha, 7, 2, integrals.one(kAlpha, 7, 2) + kLittle);
  }));
  for (const auto& [p, q, r, s] : {std::array{3, 1, 8, 6}, {4, 4, 9, 9}, {5, 2, 5, 2}})
    EXPECT_FALSE(with([&](ci::Integrals& integrals) {
      const double value = integrals.two(kAlpha, p, q, kAlpha, r, s);
      integrals.set_two(kAlpha, p, q, kAlpha, r, s, value + kLittle);
    })) << p
        << q << r << s;
}

Request chain(VerificationEffort verification, Index sites = 10) {
  Request request;
  request.source = ProblemSource::lattice;
  request.lattice.columns = sites;
  request.solver.verification = verification;
  request.elements.path = ElementPath::factorised;
  request.backend = base::BackendKind::openmp;
  return request;
}

Outcome solved(VerificationEffort verification) { return run(chain(verification)); }

TEST(SampledVerification, IsUsedOnRequestAndGivesTheSameStates) {
  const Outcome whole = solved(VerificationEffort::whole);
  const Outcome sampled = solved(VerificationEffort::sample);
  ASSERT_TRUE(whole.is_good() && sampled.is_good());
  EXPECT_FALSE(whole.verification->sample);
  ASSERT_TRUE(sampled.verification->sample);
  EXPECT_EQ(sampled.verification->by, whole.verification->by);
  EXPECT_EQ(sampled.verification->sample->of_rows, 252 * 252);
  EXPECT_LE(sampled.verification->sample->rows, kHeavy + kDraws);
  EXPECT_GT(sampled.verification->sample->rows, kDraws / 2);
  EXPECT_NEAR(sampled.verification->states[0].rayleigh_quotient,
              whole.verification->states[0].rayleigh_quotient, 1e-12);
  Request singlets = chain(VerificationEffort::sample);
  singlets.space.spin = 0;
  EXPECT_TRUE(run(singlets).verification->sample);
}

TEST(SampledVerification, IsNotUsedIfItWouldCoverAllRows) {
  const Outcome found = run(chain(VerificationEffort::sample, 8));  // 4,900 rows
  ASSERT_TRUE(found.is_good());
  EXPECT_FALSE(found.verification->sample);
}

TEST(SampledVerification, IsChosenIfAllRowsWouldTakeMoreThanAFifthOfTheSolution) {
  const base::Backend host = base::Backend::openmp();
  Plan factors;
  factors.method = &kFactorised;
  Plan stored;
  stored.storage.format = "csr";
  const Request automatic = chain(VerificationEffort::automatic, 12);
  const DeterminantProblem molecule = open_molecule(automatic, host);
  // 853,776 rows with 1,296 double excitations each take some seconds of a thread.
  EXPECT_TRUE(samples_rows(automatic, factors, molecule, host, 1e-4));
  EXPECT_FALSE(samples_rows(automatic, factors, molecule, host, 100));
  EXPECT_FALSE(samples_rows(automatic, stored, molecule, host, 1e-4));
  EXPECT_FALSE(samples_rows(chain(VerificationEffort::whole, 12), factors, molecule, host, 1e-4));
  EXPECT_TRUE(samples_rows(chain(VerificationEffort::sample, 12), factors, molecule, host, 100));
}

// One by one, 18,432 of 63,504 rows take longer than all rows together.
TEST(SampledVerification, IsNotChosenIfItWouldTakeLongerThanAllRows) {
  const base::Backend host = base::Backend::openmp();
  Plan factors;
  factors.method = &kFactorised;
  const DeterminantProblem molecule = open_molecule(chain(VerificationEffort::automatic), host);
  EXPECT_FALSE(samples_rows(chain(VerificationEffort::automatic), factors, molecule, host, 1e-4));
  EXPECT_TRUE(samples_rows(chain(VerificationEffort::sample), factors, molecule, host, 1e-4));
}

TEST(SampledRowsTest, OfSpinsAreUsedOnADeviceOnRequestOrIfTheOracleIsSlow) {
  const base::Backend host = base::Backend::openmp();
  const auto ring = [](VerificationEffort verification) {
    Request request;
    request.source = ProblemSource::lattice;
    request.lattice.model = LatticeModel::heisenberg;
    request.lattice.columns = 20;
    request.lattice.periodic_columns = true;
    request.space.symmetry.momentum = {3};
    request.solver.states = 1;
    request.solver.verification = verification;
    return request;
  };
  const SiteProblemRows rows(ring(VerificationEffort::automatic), host);
  EXPECT_FALSE(samples_rows(ring(VerificationEffort::automatic), rows.problem(), host, 1e-9));
  EXPECT_FALSE(samples_rows(ring(VerificationEffort::whole), rows.problem(), host, 1e-9));
  EXPECT_TRUE(samples_rows(ring(VerificationEffort::sample), rows.problem(), host, 10));
  Request many = ring(VerificationEffort::automatic);
  many.solver.states = 100000;
  EXPECT_TRUE(samples_rows(many, rows.problem(), host, 1));
  EXPECT_FALSE(samples_rows(many, rows.problem(), host, 1e9));
  Request cut = ring(VerificationEffort::sample);
  cut.elements.threshold = 1e-3;  // the second operator leaves nothing out
  EXPECT_FALSE(samples_rows(cut, rows.problem(), host, 10));
}

}  // namespace
}  // namespace cisolve::job
