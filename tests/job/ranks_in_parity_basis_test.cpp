#include <algorithm>

#include "job/plan/plan.hpp"
#include "solver/task/snapshot.hpp"
#include "tests/job/jobs_of_threads.hpp"
#include "tests/job/ring.hpp"

// One state of full CI, found in the basis of one parity, distributed over ranks.
namespace cisolve::job {
namespace {

Request ring() { return job::ring(base::BackendKind::openmp); }

/// One process takes the same steps, up to rounding; a search among whole vectors takes others.
TEST(RanksInParityBasis, TakeTheIterationsOfOneProcess) {
  for (const auto search : {solver::SearchEffort::automatic, solver::SearchEffort::none}) {
    Request request = ring();
    request.solver.search = search;
    const Outcome alone = run(request);
    for (const int size : test::kSanitized ? std::vector{2} : std::vector{2, 3, 5}) {
      SCOPED_TRACE(base::concat("search: ", word_of(search), ", ranks: ", size));
      const Outcome found = std::move(outcomes(request, size).front());
      ASSERT_NO_FATAL_FAILURE(expect_same_states(found, alone));
      EXPECT_NEAR(found.result->states[0].energy, kLowest, 1e-10);
      EXPECT_EQ(found.result->products, alone.result->products);
      EXPECT_EQ(found.result->search_products, alone.result->search_products);
      EXPECT_EQ(found.result->search, alone.result->search);
      EXPECT_NEAR(*found.analysis->states[0].s2, *alone.analysis->states[0].s2, 1e-6);
    }
  }
}

/// Stops in an iteration and gathers its state on rank 0.
class GatheringListener final : public Listener, public solver::Observer {
 public:
  solver::Observer* observer() override { return this; }
  bool report(const solver::Progress& progress) override {
    if (progress.iteration < kLast) return true;
    const solver::Snapshot now = progress.state.snapshot();
    rows = now.rows();
    now.gather_to_root([&](std::span<const double> some) {
      streamed.insert(streamed.end(), some.begin(), some.end());
    });
    return false;
  }
  static constexpr int kLast = 8;
  Index rows = 0;
  std::vector<double> streamed;
};

/// Rank 0 receives whole vectors for any distribution of the parity basis; any number of ranks can
/// resume from them.
TEST(RanksInParityBasis, ResumeFromAnyNumberOfRanks) {
  const Request request = ring();
  const Outcome alone = run(request);
  std::vector<GatheringListener> heard(3);
  base::run_as_ranks(3, [&](const base::Communicator& ranks) {
    AsyncBackend starting(request, false);
    EXPECT_EQ(run(request, starting, heard[ranks.rank()], ranks).end, End::interrupted);
  });
  for (const GatheringListener& one : heard) EXPECT_EQ(one.rows, 63'504);
  EXPECT_TRUE(heard[1].streamed.empty() && heard[2].streamed.empty());
  const std::vector<double>& streamed = heard[0].streamed;
  ASSERT_GE(std::ssize(streamed), 63'504);
  ASSERT_EQ(std::ssize(streamed) % 63'504, 0);
  for (const int size : {1, 2}) {
    SCOPED_TRACE(size);
    Keeper again;
    const auto columns = static_cast<int>(std::ssize(streamed) / 63'504);
    base::MultiVector basis(base::Backend::openmp(1), 63'504, columns);
    std::ranges::copy(streamed, basis.block().data);
    again.kept.emplace(solver::Checkpoint{.basis = std::move(basis),
                                          .layout = base::Layout::whole(63'504),
                                          .iterations = GatheringListener::kLast,
                                          .products = GatheringListener::kLast});
    const Outcome found = std::move(outcomes(request, size, &again).front());
    ASSERT_NO_FATAL_FAILURE(expect_same_states(found, alone));
    EXPECT_LT(found.result->products - found.result->search_products,
              alone.result->products - alone.result->search_products + 4);
  }
}

/// During the solution, and during the search that follows it.
TEST(RanksInParityBasis, AllEndIfRank0Stops) {
  class Stops final : public Listener, public solver::Observer {
   public:
    explicit Stops(bool in_search) : in_search_(in_search) {}
    solver::Observer* observer() override { return this; }
    bool report(const solver::Progress& progress) override {
      return in_search_ ? !progress.searching : progress.iteration < 3;
    }

   private:
    bool in_search_;
  };
  for (const bool in_search : {false, true}) {
    SCOPED_TRACE(in_search);
    Stops stops(in_search);
    for (const Outcome& one : outcomes(ring(), 3, &stops)) EXPECT_EQ(one.end, End::interrupted);
  }
}

/// If one rank lacks memory for the parity basis, all use whole vectors, or all report the error.
TEST(RanksInParityBasis, AllFollowTheRankWithTheLeastMemory) {
  const Request request = ring();
  const Index tables = run(request).plan->demand.matrix;
  int solved = 0;
  for (const double vectors : {4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 8.0, 9.0, 10.0}) {
    SCOPED_TRACE(vectors);
    std::vector<Outcome> found(2);
    try {
      base::run_as_ranks(2, [&](const base::Communicator& ranks) {
        Request mine = request;
        if (ranks.rank() == 1)
          mine.memory = tables + static_cast<Index>(vectors * static_cast<double>(kVector));
        AsyncBackend starting(mine, false);
        Listener nobody;
        found[ranks.rank()] = run(mine, starting, nobody, ranks);
      });
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::resources) << error.what();
      continue;
    }
    ++solved;
    EXPECT_NEAR(found[0].result->states[0].energy, kLowest, 1e-9);
    EXPECT_TRUE(found[0].verification->passed);
  }
  EXPECT_GE(solved, 3);
}

}  // namespace
}  // namespace cisolve::job
