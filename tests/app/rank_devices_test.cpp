#include "app/commands/rank_devices.hpp"

#include <gmock/gmock.h>

#include "base/ranks/thread_ranks.hpp"

namespace cisolve::app {
namespace {

/// The devices assigned to ranks, by what each sees.
std::vector<RankDevices> found_by(const std::vector<VisibleDevices>& seen) {
  std::vector<RankDevices> found(seen.size());
  base::run_as_ranks(static_cast<int>(seen.size()), [&](const base::Communicator& ranks) {
    found[ranks.rank()] = devices_of_ranks(ranks, seen[ranks.rank()]);
  });
  return found;
}

std::vector<int> numbers(const std::vector<RankDevices>& found) {
  std::vector<int> numbers;
  for (const RankDevices& one : found) numbers.push_back(one.mine.value_or(-1));
  return numbers;
}

TEST(RankDevices, FollowTheRanksOfEachNode) {
  EXPECT_THAT(numbers(found_by({{2, "a: all", 2, 0}, {2, "a: all", 2, 1}})),
              ::testing::ElementsAre(0, 1));
  EXPECT_THAT(numbers(found_by({{8, "a: all", 2, 0}, {8, "a: all", 2, 1}, {8, "b: all", 1, 0}})),
              ::testing::ElementsAre(0, 1, 0));
}

TEST(RankDevices, AreLimitedToThoseThatALauncherShows) {
  EXPECT_THAT(numbers(found_by({{1, "a: 3", 2, 0}, {1, "a: 1", 2, 1}, {1, "b: 3", 1, 0}})),
              ::testing::ElementsAre(0, 0, 0));
}

TEST(RankDevices, AreNotUsedIfAnyRankHasNone) {
  const auto found = found_by({{2, "a: all", 1, 0}, {1, "b: all", 2, 0}, {1, "b: all", 2, 1}});
  EXPECT_THAT(numbers(found), ::testing::ElementsAre(-1, -1, -1));
  for (const RankDevices& one : found) {
    EXPECT_TRUE(one.are_any);
    EXPECT_EQ(one.lack, "rank 1 sees 1 device, but its node runs 2 ranks");
  }
  EXPECT_THAT(numbers(found_by({{0, "a: 0", 2, 0}, {0, "a: 1", 2, 1}})),
              ::testing::ElementsAre(-1, -1));
  EXPECT_FALSE(found_by({{0, "a: all", 2, 0}, {0, "a: all", 2, 1}})[0].are_any);
}

}  // namespace
}  // namespace cisolve::app
