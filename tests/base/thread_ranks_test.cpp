#include "base/ranks/thread_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "base/ranks/agreement.hpp"
#include "base/ranks/layout.hpp"

// What one process and ranks that are threads do alike, and how the latter end.
namespace cisolve::base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Work = std::function<void(const Communicator&)>;

constexpr int kSizes[] = {1, 2, 3, 5, 7};

/// What run_as_ranks throws: its fault and its message.
struct Thrown {
  Fault fault = Fault::usage;
  std::string message = "nothing";
  bool of_peer = false;
};

Thrown thrown_by(int ranks, const Work& work) {
  try {
    run_as_ranks(ranks, work);
  } catch (const PeerFailed& error) {
    return {error.fault(), error.what(), true};
  } catch (const Error& error) {
    return {error.fault(), error.what(), false};
  }
  return {};
}

TEST(Ranks, SumsAreTakenInTheOrderOfTheRanks) {
  constexpr double values[] = {1e16, 1, -1e16, 3, 0.1, 1e-20, 7};
  for (const int size : kSizes) {
    double expected = values[0];
    for (int r = 1; r < size; ++r) expected += values[r];
    std::vector<double> found(size);
    run_as_ranks(size, [&](const Communicator& ranks) {
      EXPECT_EQ(ranks.size(), size);
      for (int repeat = 0; repeat < 200; ++repeat) {
        double mine[] = {values[ranks.rank()], 1};
        ranks.sum(mine);
        EXPECT_EQ(mine[1], size);
        found[ranks.rank()] = mine[0];
      }
    });
    for (const double sum : found) EXPECT_EQ(sum, expected) << size << " ranks";
  }
}

TEST(Ranks, MinimaAndMaximaAndWhetherAllAreTrue) {
  for (const int size : kSizes)
    run_as_ranks(size, [&](const Communicator& ranks) {
      for (int lowest = 0; lowest < size; ++lowest) {
        const bool mine = ranks.rank() == lowest;
        EXPECT_EQ(ranks.minimum(mine ? -3.5 : ranks.rank()), -3.5);
        EXPECT_EQ(ranks.maximum(mine ? 99 : ranks.rank()), 99);
        EXPECT_FALSE(ranks.all_true(!mine));
        EXPECT_EQ(ranks.all_same(mine ? 1.5 : 1), size == 1);
        EXPECT_EQ(ranks.all_same(mine ? 0.5 : 1), size == 1);
        EXPECT_TRUE(ranks.all_same(-2));
        EXPECT_TRUE(ranks.all_true(true));
      }
    });
}

TEST(Ranks, ABroadcastBringsWhatItsRootHas) {
  for (const int size : kSizes)
    run_as_ranks(size, [&](const Communicator& ranks) {
      for (int root = 0; root < size; ++root) {
        std::vector<double> values(3, ranks.rank());
        ranks.broadcast(std::span(values), root);
        EXPECT_THAT(values, ElementsAre(root, root, root));
        std::string text(5, static_cast<char>('a' + ranks.rank()));
        ranks.broadcast(std::as_writable_bytes(std::span(text)), root);
        EXPECT_EQ(text, std::string(5, static_cast<char>('a' + root)));
      }
    });
}

// Rank s sends (s + r) % 3 values to rank r, each of which says where it comes from.
TEST(Ranks, AnExchangeBringsToEachRankWhatIsMeantForIt) {
  for (const int size : kSizes)
    run_as_ranks(size, [&](const Communicator& ranks) {
      std::vector<double> send, expected;
      std::vector<Index> counts;
      for (int r = 0; r < size; ++r) {
        counts.push_back((ranks.rank() + r) % 3);
        for (Index k = 0; k < counts[r]; ++k) {
          send.push_back(100.0 * ranks.rank() + 10 * r + static_cast<double>(k));
          expected.push_back(100.0 * r + 10 * ranks.rank() + static_cast<double>(k));
        }
      }
      std::vector<double> receive(expected.size());
      ranks.exchange(send, counts, receive, counts);
      EXPECT_EQ(receive, expected);
    });
}

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

TEST(Ranks, AnExceptionEndsTheWaitingOfAllAndIsTheOneThatIsThrownOn) {
  for (const int size : kSizes)
    for (int culprit = 0; culprit < size; ++culprit) {
      std::atomic<int> told = 0;
      const Thrown thrown = thrown_by(size, [&](const Communicator& ranks) {
        ranks.all_true(true);
        if (ranks.rank() == culprit) fail(Fault::bad_input, "a row of letters");
        try {
          while (true) ranks.all_true(true);
        } catch (const PeerFailed& error) {
          EXPECT_EQ(error.fault(), Fault::bad_input);
          EXPECT_THAT(error.what(), HasSubstr(concat("rank ", culprit, ": a row of letters")));
          ++told;
          throw;
        }
      });
      EXPECT_EQ(thrown.message, "a row of letters");
      EXPECT_EQ(thrown.fault, Fault::bad_input);
      EXPECT_FALSE(thrown.of_peer);
      EXPECT_EQ(told, size - 1);
    }
}

TEST(Ranks, AnAbortEndsEveryLaterCallAndItsFirstReasonCounts) {
  const Thrown thrown = thrown_by(3, [](const Communicator& ranks) {
    ranks.all_true(true);
    if (ranks.rank() == 1) {
      ranks.abort(Fault::resources, "lost its device");
      ranks.abort(Fault::usage, "a second thought");
    }
    for (int call = 0; call < 2; ++call) EXPECT_THROW(ranks.all_true(true), PeerFailed);
    ranks.all_true(true);
  });
  EXPECT_TRUE(thrown.of_peer);
  EXPECT_EQ(thrown.fault, Fault::resources);
  EXPECT_THAT(thrown.message, HasSubstr("lost its device"));
}

TEST(Ranks, ARankThatEndsWhereOthersWaitIsAnError) {
  for (int early = 0; early < 3; ++early) {
    const Thrown thrown = thrown_by(3, [&](const Communicator& ranks) {
      ranks.all_true(true);
      if (ranks.rank() != early) ranks.all_true(true);
    });
    EXPECT_TRUE(thrown.of_peer);
    EXPECT_EQ(thrown.fault, Fault::internal);
    EXPECT_THAT(thrown.message, HasSubstr("has ended"));
  }
}

TEST(Ranks, OperationsThatDoNotFitAreAnErrorOnAllRanks) {
  const std::vector<Work> misfits = {
      [](const Communicator& ranks) {
        std::vector<double> values(ranks.rank() == 2 ? 4 : 3);
        ranks.sum(values);
      },
      [](const Communicator& ranks) {
        double value = 0;
        if (ranks.rank() == 1)
          ranks.sum({&value, 1});
        else
          ranks.minimum(value);
      },
      [](const Communicator& ranks) {
        double value = 0;
        ranks.broadcast(std::span(&value, 1), ranks.rank() == 0 ? 0 : 1);
      },
      [](const Communicator& ranks) {  // rank 2 expects a value that rank 0 does not send
        std::vector<Index> sent(3), received(3);
        if (ranks.rank() == 2) received[0] = 1;
        std::vector<double> receive(ranks.rank() == 2 ? 1 : 0);
        ranks.exchange({}, sent, receive, received);
      }};
  for (const Work& misfit : misfits) {
    std::atomic<int> failed = 0;
    run_as_ranks(3, [&](const Communicator& ranks) {
      try {
        misfit(ranks);
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::internal);
        ++failed;
      }
      EXPECT_TRUE(ranks.all_true(true));  // all know, so they can go on
    });
    EXPECT_EQ(failed, 3);
  }
}

TEST(Ranks, NoRanksAreRefused) {
  EXPECT_THROW(run_as_ranks(0, [](const Communicator&) {}), Error);
}

TEST(Agreement, WhatOneRankCannotDoAllRefuseAndGoOn) {
  for (const int size : kSizes)
    for (int culprit = 0; culprit < size; ++culprit)
      run_as_ranks(size, [&](const Communicator& ranks) {
        std::string message;
        Fault fault = Fault::usage;
        try {
          together(ranks, [&] {
            agree(ranks, [&] {
              if (ranks.rank() >= culprit) fail(Fault::resources, "no room on ", ranks.rank());
            });
          });
        } catch (const Error& error) {
          message = error.what();
          fault = error.fault();
        }
        EXPECT_THAT(message, HasSubstr(concat("no room on ", culprit)));
        EXPECT_EQ(fault, Fault::resources);
        EXPECT_TRUE(ranks.all_true(true));
        agree(ranks, [] {});
      });
}

TEST(Agreement, TheKindOfAnErrorIsKept) {
  run_as_ranks(3, [](const Communicator& ranks) {
    const auto agreed = [&](const std::function<void()>& failure) {
      agree(ranks, [&] {
        if (ranks.rank() == 1) failure();
      });
    };
    EXPECT_THROW(agreed([] { throw DeviceMemoryError("too small"); }), DeviceMemoryError);
    EXPECT_THROW(agreed([] { throw std::bad_alloc(); }), Error);
    EXPECT_THROW(agreed([] { throw std::runtime_error("something else"); }), Error);
    EXPECT_THROW(agreed([] { throw 5; }), Error);
    try {
      agreed([] { throw std::bad_alloc(); });
    } catch (const DeviceMemoryError&) {
      ADD_FAILURE() << "it is not a device's";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::resources);
    }
  });
}

TEST(Agreement, AnErrorOfOneRankAloneIsToldToTheOthers) {
  std::atomic<int> told = 0;
  run_as_ranks(4, [&](const Communicator& ranks) {
    try {
      together(ranks, [&] {
        if (ranks.rank() == 2) fail(Fault::bad_input, "not a number");
        ranks.all_true(true);
      });
    } catch (const PeerFailed& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 2: not a number"));
      ++told;
    } catch (const Error& error) {
      EXPECT_EQ(ranks.rank(), 2);
    }
  });
  EXPECT_EQ(told, 3);
}

TEST(LayoutOfRows, SharesFollowEachOther) {
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

TEST(LayoutOfRows, IsGatheredFromWhatEachRankHas) {
  run_as_ranks(5, [](const Communicator& ranks) {
    const Layout layout = Layout::gathered(ranks, Index{10} * ranks.rank());
    for (int r = 0; r < 5; ++r) EXPECT_EQ(layout.count(r), 10 * r);
    EXPECT_EQ(layout.pieces_of(4).front().first, 60);
  });
}

}  // namespace
}  // namespace cisolve::base
