#pragma once

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <string>

#include "tests/solver/distributed_cases.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {

/// Three ranks, one of which differs.
class OneRankDiffers : public BackendTest {
 protected:
  static constexpr int kRanks = 3;
  const RowDistribution distribution_{kRanks, "even"};
  const Dense a_ = diagonally_dominant(150, 5, 0.2);

  /// Expects that `work` throws this kind of error on each rank, and that all can continue.
  void expect_all_refuse(base::ErrorKind fault, const std::string& words,
                         const std::function<void(Member&)>& work) const {
    std::atomic<int> refused = 0;
    base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
      Member member(ranks, a_, distribution_);
      try {
        work(member);
      } catch (const base::Error& error) {
        EXPECT_EQ(error.kind(), fault);
        EXPECT_THAT(error.what(), testing::HasSubstr(words));
        ++refused;
      }
      EXPECT_TRUE(ranks.all_true(true));
    });
    EXPECT_EQ(refused, kRanks);
  }

  /// Expects that one rank's error reaches the caller, and that the others are aborted.
  void expect_all_end(int culprit, const std::function<void(Member&)>& work) const {
    std::atomic<int> informed = 0;
    std::string message;
    try {
      base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
        Member member(ranks, a_, distribution_);
        try {
          work(member);
          ADD_FAILURE() << "rank " << ranks.rank() << " did not end although rank " << culprit
                        << " failed";
        } catch (const base::PeerFailed&) {
          EXPECT_NE(ranks.rank(), culprit);
          ++informed;
          throw;
        } catch (const base::Error&) {  // reported by solve() itself, before the thread ends
          EXPECT_THROW(ranks.all_true(true), base::PeerFailed);
          throw;
        }
      });
    } catch (const base::Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "a loose cable");
    EXPECT_EQ(informed, kRanks - 1);
  }
};

}  // namespace cisolve::test
