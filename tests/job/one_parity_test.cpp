#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "job/plan/plan.hpp"
#include "tests/job/ring.hpp"
#include "tests/support/backend.hpp"

// One state of full CI, found among even or odd vectors of half the length.
namespace cisolve::job {
namespace {

class ParityBlockOperator : public test::BackendTest {
 protected:
  static Request ring() { return job::ring(*base::BackendChoice::named(test::backend_name())); }
  static std::optional<Index>& memory_of(Request& request) {
    return test::backend_under_test().is_host() ? request.memory : request.device_memory;
  }
};

/// The memory is less than a search among whole vectors takes with a basis of two or three of them.
TEST_F(ParityBlockOperator, IsUsedIfMemoryIsShortForWholeVectors) {
  Request request = ring();
  memory_of(request) = 64 * kVector;
  const Outcome roomy = run(request);
  ASSERT_TRUE(roomy.is_good());
  EXPECT_NEAR(roomy.result->states[0].energy, kLowest, 1e-10);
  const Index more = test::backend_under_test().is_host() ? 0 : 5;  // vectors that a device sums in
  for (const Index vectors : {13, 15, 17}) {
    SCOPED_TRACE(vectors);
    memory_of(request) = roomy.plan->demand.matrix + (vectors + more) * kVector;
    const Outcome found = run(request);
    ASSERT_TRUE(found.is_good());
    EXPECT_NEAR(found.result->states[0].energy, kLowest, 1e-10);
    EXPECT_EQ(found.result->search, solver::SearchEnd::excluded);
    EXPECT_EQ(found.verification->completeness, solver::Completeness::searched);
    EXPECT_NEAR(*found.analysis->states[0].s2, *roomy.analysis->states[0].s2, 1e-6);
    EXPECT_EQ(found.result->vectors.rows(), 63'504);
  }
}

/// Neither before the solution nor during it: loading a library takes longer than some solutions.
TEST_F(ParityBlockOperator, NeedsNoLibraryOfADevice) {
  if (test::backend_under_test().is_host()) GTEST_SKIP() << "a host has none";
  Request request = ring();
  request.lattice.columns = 12;  // above the limit of few rows, with more directions than one group
  request.solver.search = solver::SearchEffort::none;
  const Outcome found = run(request);
  ASSERT_TRUE(found.is_good());
  EXPECT_GT(found.result->products, 20);
  std::ifstream mapped("/proc/self/maps");
  const std::string all(std::istreambuf_iterator<char>(mapped), {});
  EXPECT_THAT(all, ::testing::HasSubstr("libcuda"));
  EXPECT_THAT(all, ::testing::Not(::testing::HasSubstr("libcublas")));
}

/// Starts of both parities lead to a triplet there, and meet no odd component.
TEST_F(ParityBlockOperator, FindsTheLowestStateWithoutASearch) {
  Request request = ring();
  request.solver.search = solver::SearchEffort::none;
  const Outcome found = run(request);
  ASSERT_TRUE(found.is_good());
  EXPECT_NEAR(found.result->states[0].energy, kLowest, 1e-10);
  EXPECT_EQ(found.result->search, solver::SearchEnd::not_wanted);
}

/// Stretched N2: closed shells are their own partners, and a triplet has the lowest determinant.
TEST_F(ParityBlockOperator, WithoutASearchTheLowestStateOfBothParitiesIsTaken) {
  Request request = ring();
  request.source = ProblemSource::fcidump;
  request.fcidump =
      (std::filesystem::path(CISOLVE_SOURCES) / "configs/n2_stretched.fcidump").string();
  request.solver.search = solver::SearchEffort::none;
  memory_of(request) = Index{64} << 20;
  const Outcome roomy = run(request);
  ASSERT_TRUE(roomy.is_good());
  EXPECT_LT(*roomy.analysis->states[0].s2, 1e-6);
  for (const Index mebibytes : {3, 5}) {
    SCOPED_TRACE(mebibytes);
    // Vectors that a device sums in.
    const Index more = test::backend_under_test().is_host() ? 0 : 4;
    memory_of(request) = (mebibytes + more) << 20;
    const Outcome found = run(request);
    ASSERT_TRUE(found.is_good());
    EXPECT_NEAR(found.result->states[0].energy, roomy.result->states[0].energy, 1e-10);
    EXPECT_LT(*found.analysis->states[0].s2, 1e-6);
    EXPECT_EQ(found.result->search, solver::SearchEnd::not_wanted);
  }
}

}  // namespace
}  // namespace cisolve::job
