#include <gtest/gtest.h>

#include "base/error.hpp"
#include "job/plan/plan.hpp"
#include "job/run/run.hpp"
#include "tests/support/scattering.hpp"

// Jobs keep to the memory that they are planned for.
namespace cisolve::job {
namespace {

constexpr Index kMebibyte = 1 << 20;

Request scattered(Index states) {
  Request request;
  request.source = ProblemSource::integrals;
  request.integrals = test::scattering(8);  // 3136 rows of some 600 elements
  request.backend = base::BackendKind::openmp;
  request.threads = 1;
  request.solver.states = states;
  request.solver.max_iterations = 3;  // enough to have used all memory
  return request;
}

/// At the transitions from computing to storing a part, and to storing all, plans leave the least
/// memory.
TEST(MemoryOfJobs, MoreMemoryNeverMakesAJobFail) {
  for (const Index states : {1, 3}) {
    Request request = scattered(states);
    bool fits = false;
    bool is_stored = false;
    for (Index quarters = 2; quarters <= 120; quarters += quarters < 40 ? 1 : 4) {
      SCOPED_TRACE(testing::Message() << states << " states in " << quarters << " x 256 KiB");
      request.memory = quarters * kMebibyte / 4;
      try {
        const Outcome found = run(request);
        fits = true;
        is_stored |= found.plan->elements() == ElementPath::precomputed;
      } catch (const base::Error& error) {
        EXPECT_FALSE(fits) << error.what();
      }
    }
    EXPECT_TRUE(fits && is_stored);
  }
}

// A plan passes by a lower bound for its format, and building takes more.
TEST(MemoryOfJobs, APlanThatTurnsOutNotToFitIsReplacedByTheNext) {
  Request request = scattered(1);
  request.memory = 64 * kMebibyte;
  const Outcome roomy = run(request);
  EXPECT_TRUE(roomy.fallbacks.empty());
  ASSERT_EQ(roomy.plan->text(), "hybrid on the host");
  const Index used_before = *request.memory - roomy.plan->limit;
  request.memory = used_before + roomy.plan->demand.matrix + roomy.plan->demand.vectors;
  const Outcome found = run(request);
  ASSERT_FALSE(found.fallbacks.empty());
  EXPECT_EQ(found.fallbacks.back().from, "hybrid on the host");
  EXPECT_EQ(found.fallbacks.back().to, found.plan->text());
  EXPECT_NE(found.fallbacks.back().reason.find("memory"), std::string::npos);
  EXPECT_NEAR(found.result->states[0].energy, roomy.result->states[0].energy, 1e-3);
  request.storage.format = "hybrid";  // never replaced
  EXPECT_THROW(run(request), base::Error);
}

}  // namespace
}  // namespace cisolve::job
