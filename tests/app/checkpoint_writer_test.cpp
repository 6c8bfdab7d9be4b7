#include "app/runs/checkpoint_writer.hpp"

#include <csignal>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>

#include "app/runs/interruption.hpp"
#include "base/ranks/thread_ranks.hpp"
#include "checkpoint_slots.hpp"
#include "solver/task/snapshot.hpp"
#include "solver/vectors/problem.hpp"
#include "solver/vectors/vectors.hpp"

// Which thread fills the slots, and when.
namespace cisolve::test {
namespace {

class AsyncCheckpointTest : public CheckpointSlots {
 protected:
  void SetUp() override {
    CheckpointSlots::SetUp();
    folder_.emplace(file(""));
    async_.emplace(*folder_);
  }

  /// Blocks until it is released.
  io::CheckpointToWrite held_up() {
    io::CheckpointToWrite checkpoint = after(5);
    checkpoint.should_continue = [gate = gate_.get_future().share()] {
      gate.wait();
      return true;
    };
    return checkpoint;
  }
  base::MultiVector vectors() const { return app::AsyncCheckpoint::gathered(after(5), host_); }
  void release() { gate_.set_value(); }

  std::optional<app::CheckpointFolder> folder_;
  std::optional<app::AsyncCheckpoint> async_;

 private:
  std::promise<void> gate_;
};

TEST_F(AsyncCheckpointTest, TheSolverContinuesWhileItIsWritten) {
  EXPECT_FALSE(async_->is_under_way());
  async_->begin(held_up(), vectors());
  EXPECT_TRUE(async_->is_under_way());
  EXPECT_TRUE(async_->is_busy());
  EXPECT_EQ(async_->iterations(), 5);
  EXPECT_FALSE(folder_->has_any());
  EXPECT_GE(host_.memory().used(), kRows * Index{sizeof(double)});
  release();
  async_->finish();
  EXPECT_FALSE(async_->is_under_way());
  EXPECT_FALSE(async_->is_busy());
  EXPECT_EQ(host_.memory().used(), 0);
  const auto stored = folder_->newest(host_);
  ASSERT_TRUE(stored);
  for (Index row = 0; row < kRows; ++row) EXPECT_EQ(stored->basis(row, 0), element(row));
}

TEST_F(AsyncCheckpointTest, AnAbandonedCheckpointLeavesNoFile) {
  async_->begin(held_up(), vectors());
  std::future<void> end = std::async(std::launch::async, [this] { async_->give_up(); });
  while (!async_->is_given_up()) std::this_thread::yield();
  release();
  end.get();
  EXPECT_FALSE(async_->is_under_way());
  EXPECT_TRUE(std::filesystem::is_empty(file("")));
  EXPECT_EQ(host_.memory().used(), 0);
  // A further write is accepted.
  async_->begin(after(6), vectors());
  async_->finish();
  EXPECT_EQ(sequence(kA), 1);
}

TEST_F(AsyncCheckpointTest, IsMadeOnlyIfThreeTimesItsMemoryStaysFree) {
  io::CheckpointToWrite checkpoint = after(1);
  const Index bytes = kRows * Index{sizeof(double)};
  EXPECT_TRUE(app::AsyncCheckpoint::fits_in_memory(
      checkpoint, base::Backend::reference({.host_bytes = 4 * bytes})));
  EXPECT_FALSE(app::AsyncCheckpoint::fits_in_memory(
      checkpoint, base::Backend::reference({.host_bytes = 4 * bytes - 1})));
}

/// A stub solver with a state to save: its basis is twice the elements, combined with the factor
/// 1/2.
class Solver final : public solver::CheckpointSource {
 public:
  explicit Solver(const base::Backend& host, const base::Communicator& ranks = solver::kOneProcess,
                  Index rows = kRows)
      : ranks_(ranks),
        vectors_(host, ranks, base::Layout::even(rows, ranks.size()), 1),
        basis_(vectors_.make(1, "a vector")) {
    for (const auto& piece : vectors_.layout().pieces_of(ranks.rank()))
      for (Index i = 0; i < piece.count; ++i)
        basis_(piece.at + i, 0) = 2 * element(piece.first + i);
  }
  solver::Snapshot snapshot() override {
    solver::SmallMatrix half(1, 1);
    half(0, 0) = 0.5;
    return {vectors_, basis_, std::move(half), {-1}, 5, 9};
  }
  const base::Communicator& ranks() const override { return ranks_; }
  void spoil() { vectors_.fill(1e300, basis_); }

 private:
  const base::Communicator& ranks_;
  solver::Vectors vectors_;
  base::MultiVector basis_;
};

class CheckpointTimes : public CheckpointSlots {
 protected:
  bool report(app::CheckpointWriter& writer, bool last = false) {
    return writer.report({5, 1, 9, false, {}, {}, 0, 0, 0, solver_, last});
  }

  static constexpr const char* kInput = "problem: b\n";
  static constexpr double kHour = 3600;
  static constexpr auto kAsyncForAny = app::CheckpointWriter::AsyncFor::any_solver;
  const app::Interruption interruption_;
  Solver solver_{host_};
  const Index used_by_solver_ = host_.memory().used();
};

TEST_F(CheckpointTimes, TheSavedStateIsTheOneThatTheSolverContinuesFrom) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, 0);
  EXPECT_TRUE(report(writer));
  auto stored = folder.newest(host_);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->input, kInput);
  const solver::Checkpoint start = app::start_from(std::move(*stored));
  EXPECT_EQ(start.iterations, 5);
  EXPECT_EQ(start.products, 9);
  EXPECT_EQ(start.energies, std::vector<double>{-1});
  ASSERT_EQ(start.basis.rows(), kRows);
  ASSERT_EQ(start.basis.columns(), 1);
  for (Index row = 0; row < kRows; ++row) EXPECT_EQ(start.basis(row, 0), element(row));
}

// The solver has taken all memory for its own vectors.
TEST_F(CheckpointTimes, AFullMemoryDoesNotPreventSaving) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, kHour);
  EXPECT_TRUE(report(writer));
  std::raise(SIGTERM);
  {
    const base::Reservation all(host_.memory(), host_.memory().left(), "the solver's vectors");
    EXPECT_FALSE(report(writer));
  }
  EXPECT_TRUE(writer.has_stopped());
  EXPECT_EQ(sequence(kA), 1);
}

TEST_F(CheckpointTimes, Rank0SavesTheVectorsOfAllRanks) {
  for (const auto async_for : {app::CheckpointWriter::AsyncFor::a_device, kAsyncForAny}) {
    base::run_as_ranks(3, [&](const base::Communicator& ranks) {
      Solver solver(host_, ranks);
      app::CheckpointFolder folder(file(""));
      app::CheckpointWriter writer(folder, kInput, 0, async_for);
      EXPECT_TRUE(writer.report({5, 1, 9, false, {}, {}, 0, 0, 0, solver, false}));
    });
    const auto stored = app::CheckpointFolder(file("")).newest(host_);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->sequence, 1);
    for (Index row = 0; row < kRows; ++row) EXPECT_EQ(stored->basis(row, 0), element(row));
    app::CheckpointFolder(file("")).clear();
  }
}

// The other ranks do not wait for a rank 0 that has nowhere to write.
TEST_F(CheckpointTimes, RanksContinueIfRank0CannotSave) {
  base::run_as_ranks(3, [&](const base::Communicator& ranks) {
    Solver solver(host_, ranks);
    app::CheckpointFolder folder(file("nowhere"));
    app::CheckpointWriter writer(folder, kInput, 0, kAsyncForAny);
    for (int time = 0; time < 2; ++time)
      EXPECT_TRUE(writer.report({5, 1, 9, false, {}, {}, 0, 0, 0, solver, false}));
  });
}

// Later changes of the solver's vectors do not enter the checkpoint.
TEST_F(CheckpointTimes, AnAsynchronousCheckpointHoldsTheStateAtItsStart) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, 0, kAsyncForAny);
  EXPECT_TRUE(report(writer));
  solver_.spoil();
  writer.wait_for_write();
  EXPECT_EQ(host_.memory().used(), used_by_solver_);
  const auto stored = folder.newest(host_);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->iterations, 5);
  for (Index row = 0; row < kRows; ++row) EXPECT_EQ(stored->basis(row, 0), element(row));
}

TEST_F(CheckpointTimes, AZeroIntervalSavesEachIteration) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, 0, kAsyncForAny);
  for (int time = 0; time < 5; ++time) EXPECT_TRUE(report(writer));
  writer.wait_for_write();
  EXPECT_EQ(sequence(kA), 5);
  EXPECT_EQ(sequence(kB), 4);
}

TEST_F(CheckpointTimes, AnIntervalThatEndsDuringAWriteWaitsForIt) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, 1e-9, kAsyncForAny);
  constexpr int kReports = 30;  // each waits for the disk if any does
  for (int time = 0; time < kReports; ++time) EXPECT_TRUE(report(writer));
  writer.wait_for_write();
  const Index written = std::max(sequence(kA), sequence(kB));
  EXPECT_GE(written, 1);
  EXPECT_LT(written, kReports);
  EXPECT_TRUE(report(writer, true));
  EXPECT_EQ(std::max(sequence(kA), sequence(kB)), written + 1);
}

TEST_F(CheckpointTimes, WithoutMemoryForACopyItIsWrittenSynchronously) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, 0, kAsyncForAny);
  {
    const base::Reservation all(host_.memory(), host_.memory().left(), "the solver's vectors");
    EXPECT_TRUE(report(writer));
    EXPECT_TRUE(folder.has_any());
  }
  EXPECT_EQ(sequence(kA), 1);
}

TEST_F(CheckpointTimes, AFailedAsynchronousWriteWarnsAndTheNextOneIsTried) {
  app::CheckpointFolder folder(file("later"));
  app::CheckpointWriter writer(folder, kInput, 0, kAsyncForAny);
  testing::internal::CaptureStdout();
  EXPECT_TRUE(report(writer));
  EXPECT_TRUE(report(writer));
  writer.wait_for_write();
  const std::string said = testing::internal::GetCapturedStdout();
  const std::size_t warning = said.find("no checkpoint in iteration 5");
  EXPECT_NE(warning, std::string::npos) << said;
  EXPECT_EQ(said.find("no checkpoint", warning + 1), std::string::npos) << said;
  std::filesystem::create_directory(file("later"));
  EXPECT_TRUE(report(writer));
  writer.wait_for_write();
  EXPECT_EQ(io::read_checkpoint(file("later/checkpoint-a.h5"), host_).sequence, 1);
}

TEST_F(CheckpointTimes, AnInterruptSavesTheLastStateAfterTheWriteInProgress) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, 0, kAsyncForAny);
  EXPECT_TRUE(report(writer));
  std::raise(SIGTERM);
  EXPECT_FALSE(report(writer));
  EXPECT_EQ(sequence(kA), 1);
  EXPECT_EQ(sequence(kB), 2);
}

TEST_F(CheckpointTimes, AnIntervalIsKeptExceptAtTheEnd) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, kHour);
  EXPECT_TRUE(report(writer));
  EXPECT_FALSE(folder.has_any());
  EXPECT_TRUE(report(writer, true));
  EXPECT_EQ(sequence(kA), 1);
  EXPECT_FALSE(writer.has_stopped());
}

TEST_F(CheckpointTimes, AnInterruptSavesAtOnceAndStops) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, kHour);
  EXPECT_TRUE(report(writer));
  std::raise(SIGTERM);
  EXPECT_FALSE(report(writer));
  EXPECT_TRUE(writer.has_stopped());
  EXPECT_EQ(sequence(kA), 1);
}

TEST_F(CheckpointTimes, LargeDiskUseIsReportedOnce) {
  constexpr Index kMuch = Index{8} << 20;  // elements of 64 MiB
  for (const Index rows : {kMuch, kMuch - 1}) {
    Solver solver(host_, solver::kOneProcess, rows);
    app::CheckpointFolder folder(file(""));
    app::CheckpointWriter writer(folder, kInput, 0);
    testing::internal::CaptureStdout();
    for (int time = 0; time < 2; ++time)
      EXPECT_TRUE(writer.report({5, 1, 9, false, {}, {}, 0, 0, 0, solver, false}));
    const std::string said = testing::internal::GetCapturedStdout();
    const std::size_t first = said.find("a checkpoint takes 64 MiB on disk, and two are kept");
    EXPECT_EQ(first != std::string::npos, rows == kMuch) << said;
    if (first != std::string::npos) {
      EXPECT_EQ(said.find("takes", first + 16), std::string::npos) << said;
    }
  }
}

// A failure during the job is a warning; at its end it is an error.
TEST_F(CheckpointTimes, FailureToSaveIsAWarningDuringAndAnErrorAtTheEndOfTheJob) {
  app::CheckpointFolder folder(file("nowhere"));
  app::CheckpointWriter writer(folder, kInput, 0);
  EXPECT_TRUE(report(writer));
  std::raise(SIGTERM);
  try {
    report(writer);
    ADD_FAILURE() << "an interrupt passes for saved";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::cannot_write) << error.what();
  }
  EXPECT_FALSE(writer.has_stopped());
}

}  // namespace
}  // namespace cisolve::test
