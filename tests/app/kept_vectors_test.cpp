#include "app/report/kept_vectors.hpp"

#include <gtest/gtest.h>

namespace cisolve::app {
namespace {

constexpr Index kPlenty = Index{1} << 50;

TEST(KeptVectors, AreKeptUpToAGibibyte) {
  for (const std::optional<Index> free : {std::optional(kPlenty), std::optional<Index>()}) {
    const KeptVectors most = kept_vectors({}, kMostKept, free);
    EXPECT_TRUE(most.kept);
    EXPECT_EQ(most.bytes, kMostKept);
    EXPECT_EQ(most.note, "");
    const KeptVectors more = kept_vectors({}, kMostKept + 1, free);
    EXPECT_FALSE(more.kept);
    EXPECT_EQ(more.bytes, kMostKept + 1);
  }
  EXPECT_EQ(kept_vectors({}, 3 * kMostKept, kPlenty).note,
            "results.h5 holds no vectors and determinants (3 GiB): output.vectors: auto "
            "saves at most 1 GiB, true saves all");
}

TEST(KeptVectors, FillNoMoreThanHalfOfTheDisk) {
  EXPECT_TRUE(kept_vectors({}, 1000, 2000).kept);
  EXPECT_FALSE(kept_vectors({}, 1001, 2000).kept);
  EXPECT_TRUE(kept_vectors({}, 0, 0).kept);
  EXPECT_TRUE(kept_vectors({}, kMostKept, 2 * kMostKept).kept);
  EXPECT_NE(kept_vectors({}, 1001, 2000).note.find("half of the free 1.95 KiB"), std::string::npos);
}

TEST(KeptVectors, FollowTheRequestAtAnySize) {
  EXPECT_TRUE(kept_vectors(true, kPlenty, 0).kept);
  EXPECT_FALSE(kept_vectors(false, 1, kPlenty).kept);
  for (const bool wanted : {true, false}) EXPECT_EQ(kept_vectors(wanted, kPlenty, 0).note, "");
}

}  // namespace
}  // namespace cisolve::app
