#include <cmath>

#include "solver/methods/solve.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/one_rank_differs.hpp"

// If one rank fails, stops or lacks memory, all decide together, and none hangs.
namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;
using solver::SearchEnd;
using solver::Status;
using testing::HasSubstr;

constexpr int kNever = -1;
constexpr int kInItsDiagonal = -2;

/// Fails in a product, counted from 0, or in diagonal().
class Failing final : public base::LinearOperator {
 public:
  Failing(const base::LinearOperator& matrix, int when) : matrix_(matrix), when_(when) {}
  Index rows() const override { return matrix_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    const int product = products_++;
    if (product == when_) base::fail(base::ErrorKind::resources, "a loose cable");
    matrix_.apply(x, y);
  }
  bool diagonal(base::Block d) const override {
    if (when_ == kInItsDiagonal) base::fail(base::ErrorKind::resources, "a loose cable");
    return matrix_.diagonal(d);
  }

 private:
  const base::LinearOperator& matrix_;
  int when_;
  mutable int products_ = 0;
};

TEST_F(OneRankDiffers, AnErrorInAProductOfOneRankEndsAll) {
  for (const Method method : {Method::davidson, Method::lanczos, Method::dense})
    for (int culprit = 0; culprit < kRanks; ++culprit)
      for (const int product : {0, 1, 4})
        expect_all_end(culprit, [&](Member& member) {
          const Failing matrix(member.matrix, member.ranks.rank() == culprit ? product : kNever);
          Options options = davidson_options(2);
          options.method = method;
          solver::solve({matrix, member.backend, member.ranks, member.layout}, options);
        });
}

TEST_F(OneRankDiffers, AnErrorOfTheDiagonalTheModelOrAnObserverEndsAll) {
  class FailingElements final : public solver::ModelBlock {
   public:
    void fill(std::span<const Index>, std::span<const Index>, base::SmallMatrix&) const override {
      base::fail(base::ErrorKind::resources, "a loose cable");
    }
  };
  class FailingObserver final : public solver::Observer {
   public:
    bool report(const solver::Progress& progress) override {
      if (progress.iteration == 2) base::fail(base::ErrorKind::resources, "a loose cable");
      return true;
    }
  };
  const Options options = davidson_options(2);
  expect_all_end(1, [&](Member& member) {
    const Failing matrix(member.matrix, member.ranks.rank() == 1 ? kInItsDiagonal : kNever);
    solver::solve({matrix, member.backend, member.ranks, member.layout}, options);
  });
  expect_all_end(2, [&](Member& member) {
    FailingObserver observer;
    solver::solve(member.problem, options, member.ranks.rank() == 2 ? &observer : nullptr);
  });
  class ForbiddenElements final : public solver::ModelBlock {
   public:
    void fill(std::span<const Index>, std::span<const Index>,
              base::SmallMatrix& block) const override {
      for (int j = 0; j < block.columns(); ++j) block(j, j) = 1;
    }
  };
  expect_all_end(0, [&](Member& member) {
    const FailingElements failing;
    const ForbiddenElements others;
    member.problem.model_block = &others;
    if (member.ranks.rank() == 0) member.problem.model_block = &failing;
    solver::solve(member.problem, options);
  });
}

TEST_F(OneRankDiffers, AnErrorInAVerificationEndsAll) {
  expect_all_end(1, [&](Member& member) {
    const solver::Result result = solver::solve(member.problem, davidson_options(2));
    const Failing matrix(member.matrix, member.ranks.rank() == 1 ? 1 : kNever);
    solver::verify({matrix, member.backend, member.ranks, member.layout}, result, {});
  });
}

/// Stops at an iteration, or in the search for missed states.
class Stopping final : public solver::Observer {
 public:
  explicit Stopping(int iteration, bool in_search = false)
      : iteration_(iteration), in_search_(in_search) {}
  bool report(const solver::Progress& progress) override {
    return in_search_ ? !progress.searching : progress.iteration < iteration_;
  }

 private:
  int iteration_;
  bool in_search_;
};

TEST_F(OneRankDiffers, OneObserverStopsAllRanks) {
  for (const Method method : {Method::davidson, Method::lanczos})
    for (int who = 0; who < kRanks; ++who) {
      Options options = davidson_options(2);
      options.method = method;
      options.per_state = 4;
      const int stop = method == Method::davidson ? 3 : 1;
      const Found found = solved_by(distribution_, a_, [&](Member& member) {
        Stopping observer(stop);
        Stopping patient(1000000);
        const bool mine = member.ranks.rank() == who;
        // One of the other two has an observer as well.
        const bool has_one = member.ranks.rank() == (who + 1) % kRanks;
        return solver::solve(member.problem, options,
                             mine      ? &observer
                             : has_one ? &patient
                                       : nullptr);
      });
      const solver::Result& result = found.of_rank.front();
      EXPECT_EQ(result.iterations, stop);
      EXPECT_EQ(result.states.back().status, Status::stopped);
    }
}

TEST_F(OneRankDiffers, OneObserverStopsTheSearchOnAllRanks) {
  const Found found = solved_by(distribution_, a_, [&](Member& member) {
    Stopping observer(0, true);
    return solver::solve(member.problem, davidson_options(2),
                         member.ranks.rank() == 1 ? &observer : nullptr);
  });
  EXPECT_TRUE(found.of_rank[0].converged());
  EXPECT_EQ(found.of_rank[0].search, SearchEnd::stopped);
}

TEST_F(OneRankDiffers, TheRankWithTheLeastMemorySetsTheSizeOfTheSearchSpace) {
  if (backend_name() == "cuda") GTEST_SKIP() << "the host budget is enough to show it";
  const Index vector = 50 * Index{sizeof(double)};
  base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
    const Index bytes = ranks.rank() == 2 ? 60 * vector : 1 << 24;
    Member member(ranks, a_, distribution_, true, bytes);
    Options options = davidson_options(1);
    options.search = solver::SearchEffort::none;
    const solver::Result result = solver::solve(member.problem, options);
    EXPECT_TRUE(result.converged());
    EXPECT_THAT(result.note, HasSubstr("the search space holds "));
    EXPECT_LE(member.backend.memory().peak(), bytes);
    options.states = 40;
    for (const Method method : {Method::davidson, Method::dense}) {
      options.method = method;
      try {
        solver::solve(member.problem, options);
        ADD_FAILURE() << "rank " << ranks.rank() << " goes on";
      } catch (const base::PeerFailed&) {
        ADD_FAILURE() << "it was not decided together";
      } catch (const base::Error& error) {
        EXPECT_EQ(error.kind(), base::ErrorKind::resources);
      }
    }
    options.states = 1;
    options.method = Method::davidson;
    EXPECT_TRUE(solver::solve(member.problem, options).converged());  // all can continue
  });
}

// A search space of four columns leaves five for the search, which needs seven, or own memory.
TEST_F(OneRankDiffers, NoRankSearchesIfOneLacksMemory) {
  if (backend_name() == "cuda") GTEST_SKIP() << "the host budget is enough to show it";
  constexpr Index enough_for_four = 10'000;  // for the basis and a few vectors more
  for (const bool is_short : {false, true})
    base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
      const Index bytes = ranks.rank() == 1 && is_short ? enough_for_four : 1 << 24;
      Member member(ranks, a_, distribution_, true, bytes);
      Options options = davidson_options(1);
      options.max_subspace = 4;
      const solver::Result result = solver::solve(member.problem, options);
      EXPECT_TRUE(result.converged());
      EXPECT_EQ(result.search, is_short ? SearchEnd::no_memory : SearchEnd::excluded);
      EXPECT_EQ(result.note, "");
    });
}

TEST_F(OneRankDiffers, NonFiniteNumbersOnOneRankAreBadInputOnAll) {
  for (const Method method : {Method::davidson, Method::lanczos, Method::dense}) {
    Dense broken = a_;
    broken(149, 149) = std::nan("");
    std::atomic<int> refused = 0;
    EXPECT_THROW(base::run_as_ranks(kRanks,
                                    [&](const base::Communicator& ranks) {
                                      Member member(ranks, broken, distribution_);
                                      Options options = davidson_options(2);
                                      options.method = method;
                                      try {
                                        solver::solve(member.problem, options);
                                      } catch (const base::Error& error) {
                                        EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
                                        ++refused;
                                        throw;
                                      }
                                    }),
                 base::Error);
    EXPECT_EQ(refused, kRanks);
  }
}

}  // namespace
}  // namespace cisolve::test
