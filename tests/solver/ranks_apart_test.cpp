#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <optional>

#include "solver/methods/solve.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/shares.hpp"
#include "tests/support/backend.hpp"

// Where ranks differ in what they have, want or meet, they decide together, and none hangs.
namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;
using solver::SearchEnd;
using solver::Status;
using testing::HasSubstr;

class RanksApart : public BackendTest {
 protected:
  static constexpr int kRanks = 3;
  const Shares shares_{kRanks, "even"};
  const Dense a_ = diagonally_dominant(150, 5, 0.2);

  /// Expects that what `work` throws on each rank has this fault, and that all can go on.
  void expect_all_refuse(base::Fault fault, const std::string& words,
                         const std::function<void(Member&)>& work) const {
    std::atomic<int> refused = 0;
    base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
      Member member(ranks, a_, shares_);
      try {
        work(member);
      } catch (const base::Error& error) {
        EXPECT_EQ(error.fault(), fault);
        EXPECT_THAT(error.what(), HasSubstr(words));
        ++refused;
      }
      EXPECT_TRUE(ranks.all_true(true));
    });
    EXPECT_EQ(refused, kRanks);
  }

  /// Expects that one rank's error reaches the caller, and that the others are told of it.
  void expect_all_end(int culprit, const std::function<void(Member&)>& work) const {
    std::atomic<int> told = 0;
    std::string message;
    try {
      base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
        Member member(ranks, a_, shares_);
        try {
          work(member);
          ADD_FAILURE() << "rank " << ranks.rank() << " of " << culprit;
        } catch (const base::PeerFailed&) {
          EXPECT_NE(ranks.rank(), culprit);
          ++told;
          throw;
        } catch (const base::Error&) {  // told by solve() itself, before the thread ends
          EXPECT_THROW(ranks.all_true(true), base::PeerFailed);
          throw;
        }
      });
    } catch (const base::Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "a loose cable");
    EXPECT_EQ(told, kRanks - 1);
  }
};

constexpr int kNever = -1;
constexpr int kInItsDiagonal = -2;

/// Fails in a product, the first of which is 0, or where it is asked for its diagonal.
class Failing final : public base::LinearOperator {
 public:
  Failing(const base::LinearOperator& matrix, int when) : matrix_(matrix), when_(when) {}
  Index rows() const override { return matrix_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    const int product = products_++;
    if (product == when_) base::fail(base::Fault::resources, "a loose cable");
    matrix_.apply(x, y);
  }
  bool diagonal(base::Block d) const override {
    if (when_ == kInItsDiagonal) base::fail(base::Fault::resources, "a loose cable");
    return matrix_.diagonal(d);
  }

 private:
  const base::LinearOperator& matrix_;
  int when_;
  mutable int products_ = 0;
};

TEST_F(RanksApart, AnErrorInAProductOfOneRankEndsAll) {
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

TEST_F(RanksApart, AnErrorOfTheDiagonalTheModelOrAnObserverEndsAll) {
  class FailingElements final : public solver::ModelBlock {
   public:
    void fill(std::span<const Index>, base::SmallMatrix&) const override {
      base::fail(base::Fault::resources, "a loose cable");
    }
  };
  class FailingObserver final : public solver::Observer {
   public:
    bool report(const solver::Progress& progress) override {
      if (progress.iteration == 2) base::fail(base::Fault::resources, "a loose cable");
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
  class NoElements final : public solver::ModelBlock {
   public:
    void fill(std::span<const Index>, base::SmallMatrix& block) const override {
      for (int j = 0; j < block.columns(); ++j) block(j, j) = 1;
    }
  };
  expect_all_end(0, [&](Member& member) {
    const FailingElements failing;
    const NoElements others;
    member.problem.model_block = &others;
    if (member.ranks.rank() == 0) member.problem.model_block = &failing;
    solver::solve(member.problem, options);
  });
}

TEST_F(RanksApart, AnErrorInAVerificationEndsAll) {
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

TEST_F(RanksApart, WhereOneObserverStopsAllStop) {
  for (const Method method : {Method::davidson, Method::lanczos})
    for (int who = 0; who < kRanks; ++who) {
      Options options = davidson_options(2);
      options.method = method;
      options.per_state = 4;
      const int stop = method == Method::davidson ? 3 : 1;
      const Found found = solved_by(shares_, a_, [&](Member& member) {
        Stopping observer(stop);
        Stopping patient(1000000);
        const bool mine = member.ranks.rank() == who;
        // Of the other two one has an observer, too.
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

TEST_F(RanksApart, WhereOneObserverStopsTheSearchAllDo) {
  const Found found = solved_by(shares_, a_, [&](Member& member) {
    Stopping observer(0, true);
    return solver::solve(member.problem, davidson_options(2),
                         member.ranks.rank() == 1 ? &observer : nullptr);
  });
  EXPECT_TRUE(found.of_rank[0].converged());
  EXPECT_EQ(found.of_rank[0].search, SearchEnd::stopped);
}

TEST_F(RanksApart, TheRankWithTheLeastMemorySetsTheSizeOfTheSearchSpace) {
  if (backend_name() == "cuda") GTEST_SKIP() << "the host budget is enough to show it";
  const Index vector = 50 * Index{sizeof(double)};
  base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
    const Index bytes = ranks.rank() == 2 ? 60 * vector : 1 << 24;
    Member member(ranks, a_, shares_, true, bytes);
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
        EXPECT_EQ(error.fault(), base::Fault::resources);
      }
    }
    options.states = 1;
    options.method = Method::davidson;
    EXPECT_TRUE(solver::solve(member.problem, options).converged());  // all go on
  });
}

// Seven columns of a search space leave none for the search, which wants nine vectors of its own.
TEST_F(RanksApart, WhereOneRankHasNoMemoryForTheSearchNoneSearches) {
  if (backend_name() == "cuda") GTEST_SKIP() << "the host budget is enough to show it";
  constexpr Index enough_for_seven = 13000;  // and then for seven vectors more
  for (const bool is_short : {false, true})
    base::run_as_ranks(kRanks, [&](const base::Communicator& ranks) {
      const Index bytes = ranks.rank() == 1 && is_short ? enough_for_seven : 1 << 24;
      Member member(ranks, a_, shares_, true, bytes);
      Options options = davidson_options(1);
      options.max_subspace = 7;
      const solver::Result result = solver::solve(member.problem, options);
      EXPECT_TRUE(result.converged());
      EXPECT_EQ(result.search, is_short ? SearchEnd::no_memory : SearchEnd::excluded);
      EXPECT_EQ(result.note, "");
    });
}

TEST_F(RanksApart, WhatOneRankDoesNotKnowNoneUses) {
  const Found without = solved_by(shares_, a_, [&](Member& member) {
    const SharedOperator bare(a_, member.backend, member.ranks, member.layout,
                              member.ranks.rank() != 1);
    Options options = davidson_options(1);
    options.preconditioner = solver::PreconditionerKind::diagonal;
    const solver::Problem problem{bare, member.backend, member.ranks, member.layout};
    solver::Result result = solver::solve(problem, options);
    EXPECT_TRUE(solver::verify(problem, result, {}).passed);
    return result;
  });
  EXPECT_THAT(without.of_rank[0].note, HasSubstr("does not know its diagonal"));
  const ElementsOf elements(a_);
  for (const auto start : {solver::StartKind::automatic, solver::StartKind::model_space}) {
    const Found found = solved_by(shares_, a_, [&](Member& member) {
      if (member.ranks.rank() != 2) member.problem.model_block = &elements;
      Options options = davidson_options(1);
      options.start = start;
      options.model_size = 10;
      return solver::solve(member.problem, options);
    });
    EXPECT_EQ(found.of_rank[0].model_products, start == solver::StartKind::automatic ? 0 : 10);
  }
}

TEST_F(RanksApart, WhatTheyWereGivenMustBeTheSame) {
  const auto refused = [&](const std::function<void(Member&)>& work) {
    expect_all_refuse(base::Fault::usage, "not given the same", work);
  };
  const auto solve_with = [](Member& member, auto change) {
    Options options = davidson_options(2);
    if (member.ranks.rank() == 1) change(options);
    solver::solve(member.problem, options);
  };
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.states = 3; }); });
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.tolerance = 2e-8; }); });
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.seed = 1ULL << 60; }); });
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.dense_limit = 1; }); });
  refused([&](Member& member) {
    if (member.ranks.rank() == 0) member.problem.model_rows = {1, 2};
    solver::solve(member.problem, davidson_options(2));
  });
  refused([&](Member& member) {
    const solver::Checkpoint start{share_of(a_.leftCols(2), member), member.layout};
    solver::solve(member.problem, davidson_options(2), nullptr,
                  member.ranks.rank() == 2 ? &start : nullptr);
  });
  refused([&](Member& member) {
    const auto x = share_of(a_.leftCols(2), member);
    const std::vector<double> energies{0, member.ranks.rank() == 2 ? 1e-9 : 0};
    solver::verify(member.problem, energies, x.block(), {});
  });
  refused([&](Member& member) {
    const auto x = share_of(a_.leftCols(1), member);
    solver::verify(member.problem, std::vector<double>{0}, x.block(),
                   {.search = member.ranks.rank() == 2});
  });
}

TEST_F(RanksApart, ALayoutMustFitTheMatrix) {
  expect_all_refuse(base::Fault::usage, "a layout of 150 rows", [&](Member& member) {
    if (member.ranks.rank() == 1) member.problem.layout = Shares{kRanks, "uneven"}.of(150);
    solver::solve(member.problem, davidson_options(2));
  });
  const Found found = solved_by(shares_, a_, [&](Member& member) {  // as the matrix says
    return solver::solve({member.matrix, member.backend, member.ranks}, davidson_options(2));
  });
  EXPECT_NEAR(found.of_rank[0].states[1].energy, eigenvalues(a_)[1], 1e-10);
}

TEST_F(RanksApart, ALayoutMustBeTheSameOnAll) {
  expect_all_refuse(base::Fault::usage, "not given the same layout", [&](Member& member) {
    const Index share = a_.rows() / kRanks;
    std::vector<base::Layout::Piece> pieces;
    for (int r = 0; r < kRanks; ++r) pieces.push_back({r, share * r, share});
    if (member.ranks.rank() == 1) std::swap(pieces[0].rank, pieces[1].rank);
    member.problem.layout = base::Layout::of_pieces(kRanks, pieces);
    solver::solve(member.problem, davidson_options(2));
  });
}

TEST_F(RanksApart, AResultIsVerifiedInItsOwnLayout) {
  expect_all_refuse(base::Fault::usage, "expected the same layout", [&](Member& member) {
    solver::Result result = solver::solve(member.problem, davidson_options(2));
    result.layout = base::Layout::whole(a_.rows());
    solver::verify(member.problem, result, {});
  });
}

TEST_F(RanksApart, NumbersThatAreNoneOnOneRankAreBadInputOnAll) {
  for (const Method method : {Method::davidson, Method::lanczos, Method::dense}) {
    Dense broken = a_;
    broken(149, 149) = std::nan("");
    std::atomic<int> refused = 0;
    EXPECT_THROW(base::run_as_ranks(kRanks,
                                    [&](const base::Communicator& ranks) {
                                      Member member(ranks, broken, shares_);
                                      Options options = davidson_options(2);
                                      options.method = method;
                                      try {
                                        solver::solve(member.problem, options);
                                      } catch (const base::Error& error) {
                                        EXPECT_EQ(error.fault(), base::Fault::bad_input);
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
