#include <mutex>
#include <optional>

#include "base/ranks/whole_vectors.hpp"
#include "io/results/checkpoint.hpp"
#include "solver/methods/solve.hpp"
#include "solver/vectors/vectors.hpp"
#include "tests/io/support.hpp"
#include "tests/solver/distributed_cases.hpp"

// A checkpoint records the layout of its rows: it can be written and resumed with different numbers
// of ranks.
namespace cisolve::test {
namespace {

constexpr int kSavedRows = 90;
constexpr int kWriters = 3;
constexpr int kReaders = 2;

/// Takes a checkpoint and stops.
class StopsAfterFour final : public solver::Observer {
 public:
  bool report(const solver::Progress& progress) override {
    if (progress.iteration < 4) return true;
    saved.emplace(progress.state.checkpoint());
    return false;
  }
  std::optional<solver::Checkpoint> saved;
};

class RankCheckpoint : public FileTest {
 protected:
  /// All ranks' rows, as stored in their memories.
  Dense write(const RowDistribution& distribution) const {
    Dense held(kSavedRows, 0);
    std::mutex mutex;
    base::run_as_ranks(distribution.ranks, [&](const base::Communicator& ranks) {
      Member member(ranks, a_, distribution);
      StopsAfterFour observer;
      solver::solve(member.problem, options_, &observer);
      solver::Checkpoint now = std::move(observer.saved.value());
      ASSERT_EQ(now.layout, member.layout);
      {
        const std::scoped_lock lock(mutex);
        held.conservativeResize(kSavedRows, now.basis.columns());
        const std::vector<Index> rows = rows_of(now.layout, ranks.rank());
        for (int j = 0; j < now.basis.columns(); ++j)
          for (std::size_t i = 0; i < rows.size(); ++i)
            held(rows[i], j) = now.basis(static_cast<Index>(i), j);
      }
      auto whole = base::whole_vectors(ranks, now.layout, std::move(now.basis));
      if (ranks.rank() > 0) return;
      io::write_checkpoint(file_, {.input = "a matrix",
                                   .iterations = now.iterations,
                                   .products = now.products,
                                   .energies = now.energies,
                                   .basis = std::move(whole),
                                   .layout = base::Layout::whole(kSavedRows)});
    });
    return held;
  }

  const Dense a_ = diagonally_dominant(kSavedRows, 12, 0.25);
  const solver::Options options_ = davidson_options(3);
  const std::filesystem::path file_ = path("c.h5");
};

TEST_F(RankCheckpoint, GivesTheSameBitsToAnyNumberOfRanks) {
  for (const char* from : {"even", "uneven", "in_pieces"})
    for (const char* to : {"uneven", "in_pieces"}) {
      SCOPED_TRACE(testing::Message() << from << " to " << to);
      const Dense held = write({kWriters, from});
      const io::StoredCheckpoint stored = io::read_checkpoint(file_, base::Backend::reference());
      ASSERT_EQ(stored.basis.columns(), held.cols());
      ASSERT_EQ(stored.layout, base::Layout::whole(kSavedRows));
      base::run_as_ranks(kReaders, [&](const base::Communicator& ranks) {
        const Member member(ranks, a_, {kReaders, to});
        const solver::Vectors vectors(member.backend, ranks, member.layout, 1);
        base::MultiVector mine = vectors.make(stored.basis.columns(), "vectors of a checkpoint");
        vectors.from(stored.basis, stored.layout, mine);
        const std::vector<Index> rows = rows_of(member.layout, ranks.rank());
        for (int j = 0; j < mine.columns(); ++j)
          for (std::size_t i = 0; i < rows.size(); ++i)
            EXPECT_EQ(mine(static_cast<Index>(i), j), held(rows[i], j));
      });
    }
}

TEST_F(RankCheckpoint, IsResumedByAnyNumberOfRanks) {
  const Dense held = write({kWriters, "in_pieces"});
  const io::StoredCheckpoint stored = io::read_checkpoint(file_, base::Backend::reference());
  const auto exact = eigenvalues(a_);
  const RowDistribution distribution{kReaders, "in_pieces"};
  const auto resumed_from = [&](const std::function<solver::Checkpoint(Member&)>& start) {
    return solved_by(distribution, a_, [&](Member& member) {
      const solver::Checkpoint given = start(member);
      return solver::solve(member.problem, options_, nullptr, &given);
    });
  };
  const Found whole = resumed_from([&](Member&) -> solver::Checkpoint {
    return {stored.basis.to(stored.basis.backend()), stored.layout, stored.energies, 4, 20};
  });
  const Found of_shares = resumed_from([&](Member& member) -> solver::Checkpoint {
    return {own_rows_of(held, member), member.layout, stored.energies, 4, 20};
  });
  const solver::Result& result = whole.of_rank.front();
  EXPECT_TRUE(result.converged());
  EXPECT_GT(result.iterations, 4);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(result.states[j].energy, exact[j], 1e-10);
  EXPECT_EQ(energies_of(result), energies_of(of_shares.of_rank.front()));
  EXPECT_EQ(whole.vectors, of_shares.vectors);
}

TEST_F(RankCheckpoint, IncompleteOnesOfOtherRanksAreRefused) {
  base::run_as_ranks(kReaders, [&](const base::Communicator& ranks) {
    const Member member(ranks, a_, {kReaders, "even"});
    const solver::Vectors vectors(member.backend, ranks, member.layout, 1);
    base::MultiVector mine = vectors.make(1, "a vector");
    const auto expect_refused = [&](Index rows, const base::Layout& layout) {
      const base::MultiVector given(member.backend, rows, 1);
      const auto failure = failure_of([&] { vectors.from(given, layout, mine); });
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->fault, base::ErrorKind::bad_input);
    };
    expect_refused(kSavedRows / kReaders, RowDistribution{kReaders, "in_pieces"}.of(kSavedRows));
    expect_refused(kSavedRows / kWriters, base::Layout::even(kSavedRows, kWriters));
    expect_refused(kSavedRows / kReaders, base::Layout::whole(kSavedRows));
    expect_refused(kSavedRows / kReaders, {});
    expect_refused(kSavedRows - 1, base::Layout::whole(kSavedRows - 1));
  });
}

}  // namespace
}  // namespace cisolve::test
