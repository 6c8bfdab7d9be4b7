#include "job/ranking/plan_feasibility_check.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <optional>

#include "app/config/load.hpp"
#include "job/problem/molecular_space.hpp"
#include "job/problem/source.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/sanitizers.hpp"

// Jobs that cannot fit are refused before anything is filled.
namespace cisolve::app {
namespace {

constexpr Index kGiB = Index{1} << 30;
constexpr double kSeconds = test::unless_sanitized(2.0, 20.0);

/// Result of opening a problem.
struct Answer {
  std::optional<job::LeastDemand> demand;  // set if it was refused
  std::string advice;
  std::string message;
  double seconds = 0;
  Index peak = 0;
};

template <class Open>
Answer answer_of(const base::Backend& host, Open open) {
  const std::clock_t start = std::clock();  // processor time: other programs may run
  Answer answer;
  try {
    open();
  } catch (const job::TooLarge& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources);
    answer = {error.demand(), error.advice(), error.what()};
  }
  answer.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  answer.peak = host.memory().peak();
  return answer;
}

job::Request job(job::ProblemSource source, const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return make_configuration(source, overrides).request;
}

Answer opened(job::ProblemSource source, const std::vector<std::string>& settings, Index bytes) {
  const job::Request configuration = job(source, settings);
  const base::Backend host = base::Backend::openmp(2, {.host_bytes = bytes});
  job::PlanFeasibilityCheck admission(configuration, host,
                                      [&]() -> const base::Backend& { return host; });
  return answer_of(host, [&] { job::open_rows(configuration, host, &admission); });
}

void expect_refused_at_once(const Answer& answer, const char* why) {
  ASSERT_TRUE(answer.demand);
  EXPECT_NE(answer.advice.find(why), std::string::npos) << answer.message;
  EXPECT_EQ(answer.message.find("another format"), std::string::npos) << answer.message;
  EXPECT_LT(answer.seconds, kSeconds);
  EXPECT_LT(answer.peak, kGiB / 8) << answer.message;
}

TEST(FeasibilityCheck, RefusesALatticeOf24SitesByItsDimension) {
  const Answer answer =
      opened(job::ProblemSource::lattice, {"problem.lattice.columns=24"}, 8 * kGiB);
  expect_refused_at_once(answer, "even the vectors do not fit, so no format helps");
  EXPECT_EQ(answer.demand->rows, 7312459672336);
  EXPECT_NEAR(static_cast<double>(answer.demand->vectors) / (7312459672336.0 * 8 * 5), 1, 1e-4);
  EXPECT_EQ(answer.demand->sampled_rows, 0);
  EXPECT_LT(answer.peak, kGiB / 1000);
}

TEST(FeasibilityCheck, RefusesSpacesOfEveryKindByTheirDimension) {
  const std::vector<std::vector<std::string>> spaces{
      {"space.kind=cisdtq"},
      {"space.kind=mrci", "space.references=[2222222222222222222200000000000000000000]"},
      {"space.kind=ras", "space.ras1=10", "space.ras2=20", "space.holes=4", "space.particles=4"}};
  for (std::vector<std::string> settings : spaces) {
    settings.insert(settings.end(), {"problem.lattice.columns=40", "space.level=4"});
    expect_refused_at_once(opened(job::ProblemSource::lattice, settings, kGiB), "even the vectors");
  }
}

TEST(FeasibilityCheck, RefusesALatticeByASampleOfItsRows) {
  const Answer answer = opened(
      job::ProblemSource::lattice,
      {"problem.lattice.columns=4", "problem.lattice.rows=4", "storage.elements=precomputed"},
      20 * kGiB);
  expect_refused_at_once(answer, "no format fits");
  EXPECT_GT(answer.demand->sampled_rows, 10);
  EXPECT_LT(answer.demand->vectors, 20 * kGiB);
}

TEST(FeasibilityCheck, RefusesSpinsByTheirNumber) {
  const Answer answer =
      opened(job::ProblemSource::lattice,
             {"problem.lattice.model=heisenberg", "problem.lattice.columns=40"}, 8 * kGiB);
  expect_refused_at_once(answer, "even the vectors do not fit");
  EXPECT_EQ(answer.demand->rows, 137846528820);
}

/// 48,620 strings of either spin: 2,363,904,400 rows.
TEST(FeasibilityCheck, RefusesMoreRowsThanCanBeStored) {
  const base::Backend host = base::Backend::openmp(2, {.host_bytes = Index{1} << 50});
  const auto require = [&](const char* elements) {
    const job::Request configuration = job(job::ProblemSource::lattice, {elements});
    job::PlanFeasibilityCheck admission(configuration, host,
                                        [&]() -> const base::Backend& { return host; });
    admission.require(job::LeastSize{2'363'904'400, {}});
  };
  EXPECT_THROW(require("storage.elements=precomputed"), base::Error);
  EXPECT_NO_THROW(require("storage.elements=on-the-fly"));
  EXPECT_NO_THROW(require("storage.elements=auto"));
}

TEST(FeasibilityCheck, RefusesADenseHamiltonianByASampleOfItsRows) {
  constexpr int orbitals = 20;
  const job::Request configuration =
      job(job::ProblemSource::lattice, {"storage.elements=precomputed"});
  const base::Backend host = base::Backend::openmp(2, {.host_bytes = 100 * kGiB});
  const ci::Integrals integrals = test::random_integrals(orbitals, false, 3, {});
  job::PlanFeasibilityCheck admission(configuration, host,
                                      [&]() -> const base::Backend& { return host; });
  const Answer answer = answer_of(host, [&] {
    admission.require(ci::full_ci({orbitals, 15, 15}, host), integrals);
  });
  expect_refused_at_once(answer, "no format fits");
  constexpr double row = 1 + 2 * (75 + 1050) + 75 * 75;  // elements in a row without zeros
  EXPECT_NEAR(answer.demand->nonzeros / (15504.0 * 15504.0 * row), 1, 1e-9);
}

TEST(FeasibilityCheck, AcceptsJobsThatFitWithComputedElements) {
  const std::vector<std::string> lattice{"problem.lattice.columns=14", "problem.lattice.v=0.5"};
  const auto with = [&](const char* setting) {
    std::vector<std::string> settings = lattice;
    settings.emplace_back(setting);
    return opened(job::ProblemSource::lattice, settings, kGiB);
  };
  const Answer stored = with("storage.elements=precomputed");
  expect_refused_at_once(stored, "storage.elements: on-the-fly, which stores none,");
  EXPECT_FALSE(with("storage.elements=auto").demand) << "refused";
  EXPECT_FALSE(with("storage.elements=on-the-fly").demand) << "refused";
}

TEST(FeasibilityCheck, RefusesTablesOfStringsThatDoNotFit) {
  const Answer answer =
      opened(job::ProblemSource::lattice, {"problem.lattice.columns=40", "space.electrons=[10, 0]"},
             60 * kGiB);
  expect_refused_at_once(answer, "no format helps");
  EXPECT_GT(answer.demand->tables, 60 * kGiB);
  EXPECT_NE(answer.message.find("the string tables take"), std::string::npos);
  EXPECT_LT(answer.demand->vectors + answer.demand->matrix, 60 * kGiB);
}

// With 40 orbitals a two-particle density takes some 30 MB, each one that is kept 20 MB.
TEST(FeasibilityCheck, RefusesRequestedDensitiesThatDoNotFit) {
  const auto with = [](const char* densities, const char* states, Index bytes) {
    return opened(job::ProblemSource::lattice,
                  {"problem.lattice.columns=40", "space.electrons=[1, 1]", states, densities},
                  bytes);
  };
  constexpr Index mebibyte = Index{1} << 20;
  const Answer refused = with("analysis.densities=two", "solver.states=10", 128 * mebibyte);
  expect_refused_at_once(refused, "choose analysis.densities: one");
  EXPECT_NE(refused.message.find("the states with their two-particle densities take 224 MiB"),
            std::string::npos)
      << refused.message;
  EXPECT_FALSE(with("analysis.densities=two", "solver.states=2", 128 * mebibyte).demand);
  EXPECT_FALSE(with("analysis.densities=auto", "solver.states=10", 128 * mebibyte).demand);
}

TEST(FeasibilityCheck, RefusesGeneratedMatricesThatDoNotFit) {
  expect_refused_at_once(
      opened(job::ProblemSource::generate,
             {"problem.generate.rows=2000000000", "problem.generate.symmetric=true"}, 8 * kGiB),
      "even the vectors");
  expect_refused_at_once(
      opened(job::ProblemSource::generate, {"problem.generate.rows=10000000"}, 8 * kGiB),
      "no format fits");
}

TEST(FeasibilityCheck, AcceptsJobsThatFitTheHostWithoutInitialisingTheBackend) {
  for (const job::ProblemSource source :
       {job::ProblemSource::lattice, job::ProblemSource::generate}) {
    const job::Request configuration = job(source, {});
    const base::Backend host = base::Backend::openmp(2, {.host_bytes = kGiB});
    job::PlanFeasibilityCheck admission(configuration, host, [&]() -> base::Backend {
      ADD_FAILURE() << "asked for";
      return base::Backend(host);
    });
    EXPECT_FALSE(answer_of(host, [&] { job::open_rows(configuration, host, &admission); }).demand);
  }
}

// They are bounds: a job that is built within a budget was never refused by it.
TEST(FeasibilityCheck, RefusesNothingThatCouldBeBuilt) {
  const job::Request configuration =
      job(job::ProblemSource::lattice, {"problem.lattice.columns=6", "storage.format=csr"});
  const base::Backend large = base::Backend::openmp(2);
  const auto rows = job::open_rows(configuration, large);
  const auto matrix = sparse::build_matrix(*rows, {.format = "csr"}, large);
  const Index vectors =
      job::least_vector_bytes(configuration, static_cast<double>(matrix->rows()), false, 0);
  const base::Backend tight =
      base::Backend::openmp(2, {.host_bytes = matrix->memory().held + vectors});
  job::PlanFeasibilityCheck admission(configuration, tight,
                                      [&]() -> const base::Backend& { return tight; });
  const ci::Space& space = job::determinant_problem_of(rows)->space;
  const ci::Integrals& integrals = job::determinant_problem_of(rows)->integrals;
  EXPECT_NO_THROW(admission.require(space, integrals));
}

// The callback gets the dimension first, before anything is allocated.
TEST(FeasibilityCheck, ReportsTheProblemBeforeBuildingAnything) {
  const job::Request configuration =
      job(job::ProblemSource::lattice, {"problem.lattice.columns=10"});
  const base::Backend host = base::Backend::openmp(2, {.host_bytes = 8 * kGiB});
  std::vector<job::MatrixEstimate> heard;
  std::vector<Index> peaks;
  job::PlanFeasibilityCheck admission(
      configuration, host, [&]() -> const base::Backend& { return host; }, {},
      [&](const job::MatrixEstimate& counts) {
        heard.push_back(counts);
        peaks.push_back(host.memory().peak());
      });
  const auto rows = job::open_rows(configuration, host, &admission);
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].rows, static_cast<double>(rows->shape().rows));
  EXPECT_EQ(heard[0].nonzeros, heard[0].rows);
  EXPECT_LT(peaks[0], host.memory().peak());
  EXPECT_EQ(admission.counts().nonzeros, heard[1].nonzeros);
}

}  // namespace
}  // namespace cisolve::app
