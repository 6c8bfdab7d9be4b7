#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ranks/thread_ranks.hpp"
#include "job/plan/plan.hpp"
#include "job/ranking/async_backend.hpp"
#include "job/run/run.hpp"

// Jobs that fit several ranks but not one.
namespace cisolve::job {
namespace {

using ::testing::HasSubstr;

/// The outcome on each rank.
std::vector<Outcome> outcomes_within_memory(const Request& request, int size) {
  std::vector<Outcome> found(size);
  base::run_as_ranks(size, [&](const base::Communicator& ranks) {
    AsyncBackend starting(request, false);
    Listener nobody;
    found[ranks.rank()] = run(request, starting, nobody, ranks);
  });
  return found;
}

/// Some 370,000 elements: 4.4 MB, more than one rank may have.
Request too_large_for_one() {
  Request request;
  request.source = ProblemSource::generate;
  request.generate.rows = 2400;
  request.generate.density = 0.0625;
  request.generate.symmetric = true;
  request.elements.path = ElementPath::precomputed;
  request.storage.format = "csr";
  request.solver.method = solver::Method::davidson;
  request.solver.search = solver::SearchEffort::none;
  request.backend = base::BackendKind::openmp;
  request.threads = 1;
  request.memory = Index{7} << 19;  // 3.5 MiB
  return request;
}

TEST(MemoryOfRanks, AStoredMatrixTooLargeForOneRankIsSolvedOnTwo) {
  const Request request = too_large_for_one();
  try {
    run(request);
    FAIL() << "it fits one";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources);
  }
  Request free = request;
  free.memory = std::nullopt;
  const Outcome alone = run(free);
  EXPECT_GT(alone.product.memory.held, *request.memory);
  const std::vector<Outcome> found = outcomes_within_memory(request, 2);
  ASSERT_TRUE(found[0].verification && found[0].verification->passed);
  EXPECT_NEAR(found[0].result->states[0].energy, alone.result->states[0].energy, 1e-10);
  EXPECT_TRUE(found[0].fallbacks.empty());
  EXPECT_EQ(found[0].plan->text(), "csr on the host");
  EXPECT_TRUE(found[0].plan->portion);
}

// Data that are not distributed must fit into the memory of rank 0.
TEST(MemoryOfRanks, UseTheLeastMemoryOfAnyRank) {
  base::run_as_ranks(3, [](const base::Communicator& ranks) {
    const Index rank = ranks.rank();
    Resources mine{.host = 30 - 10 * rank, .device = 5 + 10 * ((rank + 2) % 3)};
    mine.threads = static_cast<int>(4 + rank);
    const Resources all = mine.agreed(ranks);
    EXPECT_EQ(all.host, 10);
    EXPECT_EQ(all.device, 5);
    EXPECT_EQ(all.threads, 4);
    EXPECT_FALSE(Resources{.host = 3}.agreed(ranks).device);
  });
}

TEST(MemoryOfRanks, WorkThatIsNotDistributedIsPlannedForOneRank) {
  Request request = too_large_for_one();
  request.product.wanted = true;
  try {
    outcomes_within_memory(request, 2);
    FAIL() << "it fits one";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no format fits"));
  }
}

}  // namespace
}  // namespace cisolve::job
