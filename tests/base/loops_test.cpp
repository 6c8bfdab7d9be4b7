#include "base/loops.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace cisolve::base {
namespace {

using Chunks = std::multiset<std::pair<Index, Index>>;

Chunks chunks_of(Index rows, Index grain, int threads) {
  Chunks seen;
  std::mutex guard;
  for_each_chunk(rows, grain, threads, [&](Index first, Index last) {
    const std::lock_guard lock(guard);
    seen.emplace(first, last);
  });
  return seen;
}

TEST(Loops, ChunksBeginAtMultiplesAndTheLastIsTheRemainder) {
  for (const int threads : {1, 3}) {
    EXPECT_EQ(chunks_of(0, 4, threads), Chunks{});
    EXPECT_EQ(chunks_of(1, 4, threads), (Chunks{{0, 1}}));
    EXPECT_EQ(chunks_of(4, 4, threads), (Chunks{{0, 4}}));
    EXPECT_EQ(chunks_of(9, 4, threads), (Chunks{{0, 4}, {4, 8}, {8, 9}}));
    EXPECT_EQ(chunks_of(3, 1, threads), (Chunks{{0, 1}, {1, 2}, {2, 3}}));
  }
}

TEST(Loops, GiveEachRowToOneThread) {
  constexpr Index kRows = 10007;
  std::vector<int> visits(kRows);
  for_each_chunk(kRows, 16, Backend::openmp(4), [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) ++visits[row];
  });
  EXPECT_EQ(visits, std::vector<int>(kRows, 1));
}

TEST(Loops, RethrowFromAChunkAndStartNoFurtherOne) {
  std::atomic<Index> visited{0};
  try {
    for_each_chunk(1000, 1, 1, [&](Index row, Index) {
      ++visited;
      if (row >= 10) fail(ErrorKind::bad_input, "row ", row);
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), std::string("row 10"));
  }
  EXPECT_EQ(visited, 11);
  EXPECT_THROW(for_each_chunk(1000, 7, 4, [](Index, Index) { fail(ErrorKind::bad_input, "each"); }),
               Error);
}

}  // namespace
}  // namespace cisolve::base
