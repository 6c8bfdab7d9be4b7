#include "base/ranks/thread_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ranks/layout.hpp"
#include "tests/support/collective_error_cases.hpp"
#include "tests/support/thread_runner.hpp"

// Cases specific to one process and to thread ranks, in addition to those of all communicators.
namespace cisolve::base {
namespace {

TEST(Ranks, OneProcessIsACommunicator) {
  const OneProcess alone;
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  double values[] = {2, 3};
  alone.sum(values);
  alone.broadcast(std::span<double>(values), 0);
  EXPECT_EQ(alone.minimum(4.0), 4);
  EXPECT_THAT(values, ElementsAre(2, 3));
  EXPECT_TRUE(alone.all_true(true));
  EXPECT_FALSE(alone.all_true(false));
  double target[2] = {};
  const Index counts[] = {2};
  alone.exchange(values, counts, target, counts);
  EXPECT_THAT(target, ElementsAre(2, 3));
  const Index fewer[] = {1};
  EXPECT_THROW(alone.exchange(values, counts, {target, 1}, fewer), Error);
  EXPECT_THROW(alone.exchange(values, fewer, target, counts), Error);
}

TEST(Ranks, NoRanksAreRefused) {
  EXPECT_THROW(run_as_ranks(0, [](const Communicator&) {}), Error);
}

TEST(LayoutOfRows, PortionsAreConsecutive) {
  const Index counts[] = {3, 0, 4};
  const Layout layout = Layout::of_counts(counts);
  EXPECT_EQ(layout.ranks(), 3);
  EXPECT_EQ(layout.rows(), 7);
  EXPECT_TRUE(layout.pieces_of(1).empty());
  EXPECT_EQ(layout.count(1), 0);
  EXPECT_EQ(layout.pieces_of(2).front().first, 3);
  EXPECT_EQ(layout.count(2), 4);
  const Layout whole = Layout::whole(9);
  EXPECT_EQ(whole.ranks(), 1);
  EXPECT_EQ(whole.pieces_of(0).front().first, 0);
  EXPECT_EQ(whole.count(0), 9);
  const Layout even = Layout::even(8, 3);
  EXPECT_EQ(even.count(0), 3);
  EXPECT_EQ(even.count(1), 3);
  EXPECT_EQ(even.count(2), 2);
  EXPECT_EQ(even.rows(), 8);
}

}  // namespace
}  // namespace cisolve::base
