#include "job/states/row_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ci/factorised/factorised.hpp"
#include "job/run/run.hpp"
#include "tests/support/hamiltonians.hpp"
#include "tests/support/vectors.hpp"

// Products that are compared in a sample of rows with those of an operator that shares nothing.
namespace cisolve::job {
namespace {

constexpr Index kSampled = 128;

/// One state among more alpha strings than a sample takes, with most weight beside the first ones.
class RowSampleTest : public ::testing::Test {
 protected:
  RowSampleTest()
      : molecule_(test::named("full CI", test::random_integrals(10, false, 11, {}),
                              ci::full_ci({10, 5, 5}, base::Backend::openmp()))),
        states_(test::random_vectors(molecule_.space->dimension(), 1, 5)) {
    for (Index row = 0; row < states_.rows(); ++row)
      if (row >= space().first_row(kHeavy)) states_(row, 0) *= 1e-3;
  }

  static constexpr Index kHeavy = 32;
  const ci::Space& space() const { return *molecule_.space; }
  RowSample sample(std::uint64_t seed) const {
    return RowSample::of(space(), states_.block(), seed);
  }
  bool is_sampled(Index alpha) const {
    return std::ranges::binary_search(sample(1).alphas, static_cast<ci::StringNumber>(alpha));
  }

  test::NamedHamiltonian molecule_;
  base::MultiVector states_;
};

TEST_F(RowSampleTest, HasTheHeaviestStringsAndOthersByTheSeed) {
  const RowSample found = sample(1);
  ASSERT_EQ(std::ssize(found.alphas), kSampled);
  EXPECT_EQ(found.by_chance, kSampled - kHeavy);
  EXPECT_TRUE(std::ranges::is_sorted(found.alphas, std::less_equal()));  // none is there twice
  for (Index alpha = 0; alpha < kHeavy; ++alpha) EXPECT_TRUE(is_sampled(alpha)) << alpha;
  EXPECT_EQ(found.rows(space()), kSampled * 252);
  EXPECT_EQ(sample(1).alphas, found.alphas);
  EXPECT_NE(sample(2).alphas, found.alphas);
  EXPECT_NEAR(found.share_seen(), 0.0307, 1e-4);  // 0.9693^96 = 0.05
}

/// A product that is wrong in one row.
class Faulty final : public base::LinearOperator {
 public:
  Faulty(const ci::HamiltonianRows& h, Index row, double error)
      : right_(ci::FactorisedHamiltonian(h).product(base::Backend::openmp())),
        row_(row),
        error_(error) {}
  Index rows() const override { return right_->rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    right_->apply(x, y);
    y(row_, 0) += error_;
  }

 private:
  std::unique_ptr<base::LinearOperator> right_;
  Index row_;
  double error_;
};

TEST_F(RowSampleTest, AnErrorInOneOfItsRowsFailsAndOneElsewhereIsNotSeen) {
  const ci::DirectOperator direct(space(), *molecule_.integrals);
  const auto compared = [&](Index row, double error) {
    solver::Verification found;
    found.passed = true;
    const Faulty first(molecule_.rows(), row, error);
    compare_rows(sample(1), space(), first, direct, states_, found);
    return found;
  };
  Index outside = kHeavy;
  while (is_sampled(outside)) ++outside;
  const solver::Verification nothing = compared(0, std::nan(""));
  EXPECT_FALSE(nothing.passed);
  EXPECT_TRUE(std::isnan(nothing.sample->largest_difference));
  const solver::Verification right = compared(0, 0);
  EXPECT_TRUE(right.passed);
  EXPECT_EQ(right.sample->rows, kSampled * 252);
  EXPECT_EQ(right.sample->of_rows, 252 * 252);
  EXPECT_LT(right.sample->largest_difference, 1e-12);
  EXPECT_TRUE(compared(space().first_row(outside) + 7, 1e-3).passed);
  for (const Index row :
       {Index{0}, space().first_row(31) + 251, space().first_row(sample(1).alphas.back()) + 100}) {
    const solver::Verification wrong = compared(row, 1e-9);
    EXPECT_FALSE(wrong.passed) << row;
    EXPECT_NEAR(wrong.sample->largest_difference, 1e-9, 1e-12);
    ASSERT_EQ(wrong.failures.size(), 1U);
    EXPECT_NE(wrong.failures[0].find("the products of state 1 differ by 1.0e-09"),
              std::string::npos)
        << wrong.failures[0];
  }
}

Request chain(const std::string& verification, Index sites = 10) {
  Request request;
  request.source = ProblemSource::lattice;
  request.lattice.columns = sites;
  request.solver.verification = verification;
  request.elements.path = "factorised";
  request.backend = "openmp";
  return request;
}

Outcome solved(const std::string& verification) { return run(chain(verification)); }

TEST(SampledVerification, IsWhatIsAskedForAndGivesTheSameStates) {
  const Outcome whole = solved("whole");
  const Outcome sampled = solved("sample");
  ASSERT_TRUE(whole.is_good() && sampled.is_good());
  EXPECT_FALSE(whole.verification->sample);
  ASSERT_TRUE(sampled.verification->sample);
  EXPECT_EQ(sampled.verification->by, whole.verification->by);
  EXPECT_EQ(sampled.verification->sample->of_rows, 252 * 252);
  EXPECT_EQ(sampled.verification->sample->rows, kSampled * 252);
  EXPECT_NEAR(sampled.verification->states[0].rayleigh_quotient,
              whole.verification->states[0].rayleigh_quotient, 1e-12);
  Request singlets = chain("sample");
  singlets.space.spin = 0;
  EXPECT_TRUE(run(singlets).verification->sample);
}

TEST(SampledVerification, IsLeftOutWhereItWouldBeAllRows) {
  const Outcome found = run(chain("sample", 8));  // 70 alpha strings
  ASSERT_TRUE(found.is_good());
  EXPECT_FALSE(found.verification->sample);
}

TEST(SampledVerification, IsChosenWhereAllRowsWouldTakeMoreThanAFifthOfTheSolution) {
  const base::Backend host = base::Backend::openmp();
  Plan factors;
  factors.storage.format = kFactors;
  Plan stored;
  stored.storage.format = "csr";
  const Request automatic = chain("auto");
  const Molecule molecule = open_molecule(automatic, host);
  // 63,504 rows with 625 moves of two electrons each take less than a tenth of a second.
  EXPECT_TRUE(samples_rows(automatic, factors, molecule, host, 1e-4));
  EXPECT_FALSE(samples_rows(automatic, factors, molecule, host, 10));
  EXPECT_FALSE(samples_rows(automatic, stored, molecule, host, 1e-4));
  EXPECT_FALSE(samples_rows(chain("whole"), factors, molecule, host, 1e-4));
  EXPECT_TRUE(samples_rows(chain("sample"), factors, molecule, host, 10));
}

}  // namespace
}  // namespace cisolve::job
