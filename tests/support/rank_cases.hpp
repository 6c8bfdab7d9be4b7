#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/rank_runner.hpp"

// Tests of all kinds of communicators; a program that tests one of them includes this file.
namespace cisolve::base {
namespace {  // NOLINT: of each program its own

using testing::ElementsAre;
using testing::HasSubstr;
using Work = test::RankWork;

void run_ranks(int size, const Work& work) { test::rank_runner.run(size, work); }
Index of_all_ranks(Index own_count) { return test::rank_runner.total(own_count); }
std::vector<int> sizes_from(int least) {
  std::vector<int> sizes = test::rank_runner.sizes();
  std::erase_if(sizes, [&](int size) { return size < least; });
  return sizes;
}

/// Kind and message of the error that run_ranks throws.
struct ThrownError {
  ErrorKind fault = ErrorKind::usage;
  std::string message = "nothing";
  bool of_peer = false;
};

ThrownError thrown_by(int ranks, const Work& work) {
  try {
    run_ranks(ranks, work);
  } catch (const PeerFailed& error) {
    return {error.kind(), error.what(), true};
  } catch (const Error& error) {
    return {error.kind(), error.what(), false};
  }
  return {};
}

TEST(Ranks, SumsAreTakenInTheOrderOfTheRanks) {
  constexpr double values[] = {1e16, 1, -1e16, 3, 0.1, 1e-20, 7};
  for (const int size : sizes_from(1)) {
    double expected = values[0];
    for (int r = 1; r < size; ++r) expected += values[r];
    run_ranks(size, [&](const Communicator& ranks) {
      EXPECT_EQ(ranks.size(), size);
      for (int repeat = 0; repeat < 200; ++repeat) {
        double mine[] = {values[ranks.rank()], 1};
        ranks.sum(mine);
        EXPECT_EQ(mine[1], size);
        EXPECT_EQ(mine[0], expected) << size << " ranks";
      }
    });
  }
}

TEST(Ranks, MinimaMaximaAndLogicalAndAreReduced) {
  for (const int size : sizes_from(1))
    run_ranks(size, [&](const Communicator& ranks) {
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

TEST(Ranks, DetectDifferentValues) {
  for (const int size : sizes_from(1))
    run_ranks(size, [&](const Communicator& ranks) {
      const auto differ = [&](int value) {
        const int pair[] = {7, value};
        return ranks.all_differ(std::as_bytes(std::span(pair)));
      };
      EXPECT_TRUE(differ(ranks.rank()));
      EXPECT_EQ(differ(std::max(ranks.rank(), 1)),
                size == 1);  // the first two ranks have the same bytes
      EXPECT_EQ(differ(0), size == 1);
    });
}

TEST(Ranks, ABroadcastSendsTheValuesOfItsRoot) {
  for (const int size : sizes_from(1))
    run_ranks(size, [&](const Communicator& ranks) {
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

// Rank s sends (s + r) % 3 values to rank r, each of which encodes its origin.
TEST(Ranks, AnExchangeDeliversToEachRank) {
  for (const int size : sizes_from(1))
    run_ranks(size, [&](const Communicator& ranks) {
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

/// More than any kind of ranks sends at once in these tests.
constexpr Index kLong = 1000;

double value_of(int rank, Index i) { return 1.0 / (3 + rank) + 1e9 * static_cast<double>(i % 7); }

TEST(Ranks, LongSumsAndMinimaEqualThoseOfTheirValues) {
  for (const int size : sizes_from(1))
    run_ranks(size, [&](const Communicator& ranks) {
      std::vector<double> sums(kLong), minima(kLong);
      for (Index i = 0; i < kLong; ++i) {
        sums[i] = value_of(ranks.rank(), i);
        minima[i] = -value_of(ranks.rank(), i);
      }
      ranks.sum(sums);
      ranks.minimum(minima);
      for (Index i = 0; i < kLong; ++i) {
        double expected = value_of(0, i);
        for (int r = 1; r < size; ++r) expected += value_of(r, i);
        ASSERT_EQ(sums[i], expected) << i;
        ASSERT_EQ(minima[i], -value_of(0, i)) << i;
      }
    });
}

// Rank s sends none, few or many values to rank r, each of which encodes its origin.
TEST(Ranks, LongBroadcastsAndExchangesArriveWhole) {
  const auto count = [](int from, int to) { return (3 * from + to) % 3 * kLong / 7; };
  const auto value = [](int from, int to, Index k) {
    return 1e6 * from + 1e4 * to + static_cast<double>(k);
  };
  for (const int size : sizes_from(1))
    run_ranks(size, [&](const Communicator& ranks) {
      std::vector<double> whole(kLong);
      for (Index i = 0; i < kLong; ++i) whole[i] = value(ranks.rank(), 0, i);
      ranks.broadcast(std::span(whole), size - 1);
      for (Index i = 0; i < kLong; ++i) ASSERT_EQ(whole[i], value(size - 1, 0, i));

      std::vector<double> send, expected;
      std::vector<Index> sent, received;
      for (int r = 0; r < size; ++r) {
        sent.push_back(count(ranks.rank(), r));
        received.push_back(count(r, ranks.rank()));
        for (Index k = 0; k < sent[r]; ++k) send.push_back(value(ranks.rank(), r, k));
        for (Index k = 0; k < received[r]; ++k) expected.push_back(value(r, ranks.rank(), k));
      }
      std::vector<double> receive(expected.size());
      ranks.exchange(send, sent, receive, received);
      EXPECT_EQ(receive, expected);
    });
}

TEST(Ranks, AnExceptionEndsAllWaitsAndIsRethrown) {
  for (const int size : sizes_from(1))
    for (int culprit = 0; culprit < size; ++culprit) {
      std::atomic<int> informed = 0;
      const ThrownError thrown = thrown_by(size, [&](const Communicator& ranks) {
        if (ranks.rank() == culprit) {
          ranks.all_true(true);
          fail(ErrorKind::bad_input, "a row of letters");
        }
        try {
          while (true) ranks.all_true(true);
        } catch (const PeerFailed& error) {
          EXPECT_EQ(error.kind(), ErrorKind::bad_input);
          EXPECT_THAT(error.what(), HasSubstr(concat("rank ", culprit, ": a row of letters")));
          ++informed;
          throw;
        }
      });
      EXPECT_EQ(thrown.message, "a row of letters");
      EXPECT_EQ(thrown.fault, ErrorKind::bad_input);
      EXPECT_FALSE(thrown.of_peer);
      EXPECT_EQ(of_all_ranks(informed), size - 1);
    }
}

TEST(Ranks, AnAbortEndsEveryLaterCallAndItsFirstReasonCounts) {
  for (const int size : sizes_from(2)) {
    const ThrownError thrown = thrown_by(size, [](const Communicator& ranks) {
      ranks.all_true(true);
      if (ranks.rank() == 1) {
        ranks.abort(ErrorKind::resources, "lost its device");
        ranks.abort(ErrorKind::usage, "a second thought");
      }
      for (int call = 0; call < 2; ++call) try {
          ranks.all_true(true);
          ADD_FAILURE() << "it goes on";
        } catch (const PeerFailed& error) {
          EXPECT_THAT(error.what(), HasSubstr("rank 1: lost its device"));
        }
      ranks.all_true(true);
    });
    EXPECT_TRUE(thrown.of_peer);
    EXPECT_EQ(thrown.fault, ErrorKind::resources);
    EXPECT_THAT(thrown.message, HasSubstr("rank 1: lost its device"));
  }
}

TEST(Ranks, AnAbortIsReportedAtOnce) {
  using std::chrono::steady_clock;
  for (const int size : sizes_from(2)) {
    if (size > 3) continue;  // more ranks would take long
    thrown_by(size, [](const Communicator& ranks) {
      const auto start = steady_clock::now();
      if (ranks.rank() == 1) {
        ranks.abort(ErrorKind::resources, "lost its device");
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      } else {
        EXPECT_THROW(ranks.all_true(true), PeerFailed);
        EXPECT_LT(steady_clock::now() - start, std::chrono::milliseconds(1200));
      }
    });
  }
}

TEST(Ranks, ARankThatEndsWhileOthersWaitIsAnError) {
  for (const int size : sizes_from(2))
    for (int early = 0; early < size; ++early) {
      const ThrownError thrown = thrown_by(size, [&](const Communicator& ranks) {
        ranks.all_true(true);
        if (ranks.rank() != early) ranks.all_true(true);
      });
      EXPECT_TRUE(thrown.of_peer);
      EXPECT_EQ(thrown.fault, ErrorKind::internal);
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
        std::vector<Index> sent(ranks.size()), received(ranks.size());
        if (ranks.rank() == 2) received[0] = 1;
        std::vector<double> receive(ranks.rank() == 2 ? 1 : 0);
        ranks.exchange({}, sent, receive, received);
      }};
  for (const int size : sizes_from(3))
    for (const Work& misfit : misfits) {
      std::atomic<int> failed = 0;
      run_ranks(size, [&](const Communicator& ranks) {
        try {
          misfit(ranks);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::internal);
          ++failed;
        }
        EXPECT_TRUE(ranks.all_true(true));  // all ranks throw, so they can continue
      });
      EXPECT_EQ(of_all_ranks(failed), size);
    }
}

}  // namespace
}  // namespace cisolve::base
