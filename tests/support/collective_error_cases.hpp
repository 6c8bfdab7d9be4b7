#pragma once

#include <new>

#include "base/ranks/collective_errors.hpp"
#include "base/ranks/layout.hpp"
#include "tests/support/rank_cases.hpp"

// Collective errors, on all kinds of communicators.
namespace cisolve::base {
namespace {  // NOLINT: of each program its own

TEST(Agreement, AllRefuseAndContinueIfOneRankCannot) {
  for (const int size : sizes_from(1))
    for (int culprit = 0; culprit < size; ++culprit)
      run_ranks(size, [&](const Communicator& ranks) {
        std::string message;
        ErrorKind fault = ErrorKind::usage;
        try {
          abort_peers_on_error(ranks, [&] {
            run_collectively(ranks, [&] {
              if (ranks.rank() >= culprit) fail(ErrorKind::resources, "no room on ", ranks.rank());
            });
          });
        } catch (const Error& error) {
          message = error.what();
          fault = error.kind();
        }
        EXPECT_THAT(message, HasSubstr(concat("no room on ", culprit)));
        EXPECT_EQ(fault, ErrorKind::resources);
        EXPECT_TRUE(ranks.all_true(true));
        run_collectively(ranks, [] {});
      });
}

TEST(Agreement, TheKindOfAnErrorIsKept) {
  const auto throws_what_was_thrown = [](const Communicator& ranks) {
    const auto agreed = [&](const std::function<void()>& failure) {
      run_collectively(ranks, [&] {
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
      EXPECT_EQ(error.kind(), ErrorKind::resources);
    }
  };
  for (const int size : sizes_from(2)) run_ranks(size, throws_what_was_thrown);
}

TEST(Agreement, AnErrorOfOneRankIsReportedToTheOthers) {
  for (const int size : sizes_from(3)) {
    std::atomic<int> informed = 0;
    run_ranks(size, [&](const Communicator& ranks) {
      try {
        abort_peers_on_error(ranks, [&] {
          if (ranks.rank() == 2) fail(ErrorKind::bad_input, "not a number");
          ranks.all_true(true);
        });
      } catch (const PeerFailed& error) {
        EXPECT_THAT(error.what(), HasSubstr("rank 2: not a number"));
        ++informed;
      } catch (const Error& error) {
        EXPECT_EQ(ranks.rank(), 2);
      }
    });
    EXPECT_EQ(of_all_ranks(informed), size - 1);
  }
}

TEST(LayoutOfRows, IsGatheredFromTheRowsOfEachRank) {
  for (const int size : sizes_from(1))
    run_ranks(size, [&](const Communicator& ranks) {
      const Layout layout = Layout::gathered(ranks, Index{10} * ranks.rank());
      for (int r = 0; r < size; ++r) EXPECT_EQ(layout.count(r), 10 * r);
      if (size > 1) {
        EXPECT_EQ(layout.pieces_of(size - 1).front().first, 5 * (size - 1) * (size - 2));
      }
    });
}

}  // namespace
}  // namespace cisolve::base
