#include "app/commands/rank_threads.hpp"

#include <gmock/gmock.h>
#include <sched.h>

#include <vector>

#include "base/ranks/thread_ranks.hpp"

namespace cisolve::app {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// The message of each rank, given the cores of all.
std::vector<std::string> notes_for(const std::vector<RankCores>& cores) {
  std::vector<std::string> warnings(cores.size());
  base::run_as_ranks(static_cast<int>(cores.size()), [&](const base::Communicator& ranks) {
    warnings[ranks.rank()] = binding_warning(ranks, cores[ranks.rank()]);
  });
  return warnings;
}

TEST(RankThreads, WarnIfARankIsBoundToFewerCoresThanItsPortion) {
  const auto warnings = notes_for({{16, 16}, {1, 16}, {2, 16}});
  EXPECT_THAT(warnings, Each(HasSubstr("rank 1 is bound to 1 core by its launcher")));
  EXPECT_THAT(warnings, Each(HasSubstr("its node has 16 cores per rank")));
  EXPECT_THAT(warnings, Each(HasSubstr("PE=16 --bind-to core' or 'srun --cpus-per-task=16'")));
}

TEST(RankThreads, DoNotWarnIfEachRankHasItsPortionOfCores) {
  EXPECT_THAT(notes_for({{16, 16}, {8, 8}}), Each(""));
  EXPECT_THAT(notes_for({{32, 16}, {1, 1}}), Each(""));
}

TEST(RankThreads, AreTheCoresThatThisProcessIsBoundTo) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(cores_of_rank(1).bound, CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const RankCores bound = cores_of_rank(1);
  EXPECT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(bound.bound, 1);
  EXPECT_EQ(bound.are_few(), bound.node_portion > 1);
  EXPECT_EQ(cores_of_rank(1 << 20).node_portion, 1);
}

}  // namespace
}  // namespace cisolve::app
