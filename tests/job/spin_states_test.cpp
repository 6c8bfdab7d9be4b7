#include "job/states/spin_states.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "app/config/load.hpp"
#include "ci/oracle/site_oracle.hpp"
#include "job/states/spin_check.hpp"

// Site states of one total spin: found, counted and checked.
namespace cisolve::job {
namespace {

const base::Backend kHost = base::Backend::openmp(2);

Request ring_of(const char* sites, const char* spin) {
  return app::make_configuration(ProblemSource::lattice,
                                 {{"a test", "problem.lattice.model", "heisenberg"},
                                  {"a test", "problem.lattice.columns", sites},
                                  {"a test", "problem.lattice.periodic_columns", "true"},
                                  {"a test", "problem.ms2", "0"},
                                  {"a test", "space.spin", spin}})
      .request;
}

/// States of the ring of four with as many spins up as down: the lowest two of the whole.
struct FourSpins {
  FourSpins(const char* spin, solver::Options options = {})
      : request(ring_of("4", spin)),
        rows(request, kHost),
        h(ci::site_product(rows.model_rows(), kHost)) {
    options.states = 2;
    result.emplace(solver::solve({*h, kHost}, options));
  }
  solver::Verification verify() const {
    const ci::SiteOracle second(rows.problem().basis, rows.problem().lattice.terms);
    return SpinCheck(request, nullptr, &rows).verify(second, *result, {});
  }
  /// Keeps one state, with a weight of the other.
  void keep(int state, double weight) {
    base::MultiVector kept(kHost, h->rows(), 1);
    for (Index i = 0; i < h->rows(); ++i)
      kept(i, 0) = std::sqrt(1 - weight) * result->vectors(i, state) +
                   std::sqrt(weight) * result->vectors(i, 1 - state);
    result->vectors = std::move(kept);
    result->states = {result->states[state]};
  }

  Request request;
  SiteProblemRows rows;
  std::unique_ptr<base::LinearOperator> h;
  std::optional<solver::Result> result;
};

bool says(const solver::Verification& found, const char* words) {
  return std::ranges::any_of(found.failures, [&](const std::string& failure) {
    return failure.find(words) != std::string::npos;
  });
}

TEST(SpinStates, AStateWithASmallComponentOfAnotherSpinFails) {
  for (const double weight : {0.0, 1e-8, 1e-4}) {
    FourSpins ring("0");
    ring.keep(0, weight);
    const solver::Verification found = ring.verify();
    EXPECT_EQ(found.passed, weight == 0);
    EXPECT_EQ(says(found, "has <S^2> = "), weight > 0);
  }
}

TEST(SpinStates, AStateOfAnotherSpinFailsThoughItIsTheLowest) {
  FourSpins ring("1");
  ring.keep(0, 0);
  EXPECT_TRUE(says(ring.verify(), "but a spin of 1 has 2"));
}

/// Shifting other spins shows the lowest state of a spin: the second state is the lowest with a
/// spin of 1, not of 0.
TEST(SpinStates, AMissedStateIsCounted) {
  FourSpins triplet("1");
  triplet.keep(1, 0);
  EXPECT_NEAR(triplet.result->states[0].energy, -1, 1e-12);
  const solver::Verification found = triplet.verify();
  EXPECT_TRUE(found.passed);
  EXPECT_EQ(found.completeness, solver::Completeness::certified);
  FourSpins singlet("0");
  base::MultiVector second(kHost, 6, 1);  // energy 0: neighbours that are alike, with signs
  const ci::BasisStates& words = singlet.rows.problem().basis.words();
  for (Index i = 0; i < 6; ++i) {
    const ci::BasisState word = words.word(i);
    const bool alternates = word == 0b0101 || word == 0b1010;
    second(i, 0) = alternates ? 0 : word == 0b0011 || word == 0b1100 ? 0.5 : -0.5;
  }
  singlet.result->vectors = std::move(second);
  singlet.result->states = {{.energy = 0, .status = solver::Status::converged}};
  const solver::Verification missed = singlet.verify();
  EXPECT_FALSE(missed.passed);
  EXPECT_FALSE(says(missed, "<S^2>"));
}

TEST(SpinStates, AreLimitedToTheExistingOnes) {
  for (const auto& [spin, count] : {std::pair("0", 14), {"1", 28}, {"2", 20}, {"4", 1}})
    EXPECT_EQ(SpinStates(SiteProblemRows(ring_of("8", spin), kHost).problem()).count(), count);
}

}  // namespace
}  // namespace cisolve::job
