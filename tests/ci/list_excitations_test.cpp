#include <gtest/gtest.h>

#include <algorithm>

#include "ci/properties/single_excitations.hpp"
#include "tests/support/hamiltonians.hpp"

// Beta excitations, list by list.
namespace cisolve::ci {
namespace {

/// Returns the number of excitations.
Index expect_moves_into_lists(const Space& space, const SingleExcitations& table,
                              const ListExcitations& found) {
  const Index betas = std::ssize(space.strings(Spin::beta));
  EXPECT_EQ(std::ssize(found.offsets()), space.lists() * betas + 1);
  Index at = 0;
  for (Index list = 0; list < space.lists(); ++list)
    for (Index beta = 0; beta < betas; ++beta) {
      EXPECT_EQ(found.offsets()[list * betas + beta], at);
      const auto members = space.list(list);
      for (const SingleExcitation& move : table.of(beta)) {
        const auto place = std::ranges::find(members, move.target);
        if (place == members.end()) continue;
        const SingleExcitation& same = found.all()[at++];
        EXPECT_EQ(same.target, place - members.begin());
        EXPECT_EQ(same.from, move.from);
        EXPECT_EQ(same.to, move.to);
        EXPECT_EQ(same.odd, move.odd);
      }
    }
  EXPECT_EQ(std::ssize(found.all()), at);
  return at;
}

TEST(ListExcitations, AreTheSinglesThatEndInAList) {
  const base::Backend host = base::Backend::openmp(2);
  const Space irreps = full_ci({10, 4, 4, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1}, 2}, host);
  const Space levels = test::excited({14, 4, 4}, 2);
  for (const Space* space : {&irreps, &levels}) {
    const SingleExcitations table(*space, Spin::beta);
    const auto found = ListExcitations::of(*space, table);
    ASSERT_TRUE(found);
    EXPECT_GT(expect_moves_into_lists(*space, table, *found), 0);
  }
}

/// Determinants of full CI whose pair of string numbers satisfies `wanted`.
template <class Wanted>
Space some_of_all(Wanted wanted) {
  const base::Backend host = base::Backend::openmp(2);
  const Space full = full_ci({8, 3, 3}, host);
  std::vector<Determinant> list;
  for (Index row = 0; row < full.dimension(); ++row) {
    const Space::Place place = full.place_of(row);
    if (wanted(place.alpha, place.beta)) list.push_back(full.determinant(row));
  }
  return list_space({8, 3, 3}, list, host);
}

// Every alpha string has a list of its own, nearly as long as all.
TEST(ListExcitations, AreNotStoredIfTheyOutnumberTheSinglesByFar) {
  const Space space = some_of_all([](Index alpha, Index beta) { return alpha != beta; });
  EXPECT_EQ(space.lists(), 56);
  EXPECT_FALSE(ListExcitations::of(space, SingleExcitations(space, Spin::beta)));
}

TEST(ListExcitations, AreNotSearchedInManyShortLists) {
  const Space space = some_of_all([](Index alpha, Index beta) { return alpha == beta; });
  EXPECT_EQ(space.lists(), 56);
  EXPECT_FALSE(ListExcitations::of(space, SingleExcitations(space, Spin::beta)));
}

}  // namespace
}  // namespace cisolve::ci
