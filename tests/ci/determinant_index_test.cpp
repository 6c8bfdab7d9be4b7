#include "ci/fock/spaces/determinant_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace cisolve::ci {
namespace {

const base::Backend kListHost = base::Backend::openmp();

/// Strings of 200,000 determinants are numbered in more than one chunk.
TEST(DeterminantIndex, KnowsStringsListsAndRepeatsOfAnyOrder) {
  std::vector<Determinant> list;
  std::uint64_t random = 1;
  const auto next = [&](std::uint64_t below) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (random >> 33) % below;
  };
  const auto string = [](std::uint64_t number) {  // across a word boundary
    String result;
    for (int bit = 0; bit < 12; ++bit)
      if ((number >> bit & 1) != 0) result = result.with(58 + bit);
    return result;
  };
  constexpr std::uint64_t kStrings = 600;
  std::vector<std::uint64_t> places(kStrings * kStrings);
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t i = 0; i < places.size(); ++i) std::swap(places[i], places[next(i + 1)]);
  places.resize(200'000);
  for (const std::uint64_t place : places)
    list.push_back({string(place / kStrings), string(place % kStrings)});

  const DeterminantIndex order(list, kListHost);
  EXPECT_EQ(order.first_repeat(), std::nullopt);
  ASSERT_EQ(order.alphas().size(), kStrings);
  EXPECT_TRUE(std::ranges::is_sorted(order.alphas()));
  EXPECT_TRUE(std::ranges::is_sorted(order.betas()));
  std::size_t found = 0;
  for (std::uint64_t a = 0; a < kStrings; ++a) {
    EXPECT_TRUE(std::ranges::is_sorted(order.of(static_cast<Index>(a))));
    for (const DeterminantIndex::Entry& entry : order.of(static_cast<Index>(a))) {
      ASSERT_EQ(list[entry.place].alpha, order.alphas()[a]);
      ASSERT_EQ(list[entry.place].beta, order.betas()[entry.beta]);
      ++found;
    }
  }
  EXPECT_EQ(found, list.size());

  list[190'000] = list[7];
  list[150'000] = list[140'000];
  EXPECT_EQ(DeterminantIndex(list, kListHost).first_repeat(),
            std::pair(Index{150'000}, Index{140'000}));
}

}  // namespace
}  // namespace cisolve::ci
