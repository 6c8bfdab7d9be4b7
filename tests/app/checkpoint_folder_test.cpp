#include "app/runs/checkpoint_folder.hpp"

#include <unistd.h>

#include <csignal>

#include "app/runs/checkpoint_writer.hpp"
#include "app/runs/interruption.hpp"
#include "base/error.hpp"
#include "base/ranks/thread_ranks.hpp"
#include "program.hpp"
#include "solver/vectors/problem.hpp"

// The two slots, and when they are filled.
namespace cisolve::test {
namespace {

using base::Index;

constexpr const char* kA = "checkpoint-a.h5";
constexpr const char* kB = "checkpoint-b.h5";

constexpr Index kRows = 10;

double element(Index row) { return 0.5 * static_cast<double>(row); }

base::MultiVector one_vector(const base::Backend& host) {
  base::MultiVector vector(host, kRows, 1);
  for (Index row = 0; row < kRows; ++row) vector(row, 0) = element(row);
  return vector;
}

class CheckpointSlots : public ProgramTest {
 protected:
  io::CheckpointToWrite after(Index iterations) const {
    return {.input = "problem: a\n",
            .iterations = iterations,
            .energies = {-1},
            .rows = kRows,
            .columns = 1,
            .tell_vectors = [this](const auto& take) {
              take({one_vector(host_).block().data, kRows});
            }};
  }

  /// The slots as a killed job has left them.
  void save(const char* slot, Index sequence) const {
    io::CheckpointToWrite made = after(10 * sequence);
    made.sequence = sequence;
    io::write_checkpoint(file(slot), made);
  }

  /// 0 where there is none.
  Index sequence(const char* slot) const {
    return exists(file(slot)) ? io::read_checkpoint(file(slot), host_).sequence : 0;
  }

  void damage(const char* slot) const {
    std::string bytes = read_file(file(slot));
    write_file(file(slot), bytes.substr(0, bytes.size() / 2));
  }

  base::Backend host_ = base::Backend::reference();
};

TEST_F(CheckpointSlots, AreTakenInTurn) {
  app::CheckpointFolder folder(file(""));
  EXPECT_FALSE(folder.holds_any());
  for (Index count = 1; count <= 5; ++count) {
    folder.save(after(count));
    EXPECT_TRUE(folder.holds_any());
    const bool odd = count % 2 == 1;
    EXPECT_EQ(sequence(kA), odd ? count : count - 1);
    EXPECT_EQ(sequence(kB), odd ? count - 1 : count);
  }
}

TEST_F(CheckpointSlots, TheNewestIsTakenAndTheOtherIsReplaced) {
  for (const auto& [newer, older] : {std::pair(kA, kB), {kB, kA}}) {
    save(newer, 8);
    save(older, 7);
    app::CheckpointFolder folder(file(""));
    const auto start = folder.newest(host_);
    ASSERT_TRUE(start);
    EXPECT_EQ(start->sequence, 8);
    EXPECT_EQ(start->iterations, 80);
    folder.save(after(81));
    EXPECT_EQ(sequence(newer), 8);
    EXPECT_EQ(sequence(older), 9);
    folder.save(after(82));
    EXPECT_EQ(sequence(newer), 10);
    EXPECT_EQ(sequence(older), 9);
  }
}

TEST_F(CheckpointSlots, ADamagedOneIsPassedOverAndReplacedFirst) {
  for (const auto& [newer, older] : {std::pair(kA, kB), {kB, kA}}) {
    save(newer, 8);
    save(older, 7);
    damage(newer);
    app::CheckpointFolder folder(file(""));
    const auto start = folder.newest(host_);
    ASSERT_TRUE(start);
    EXPECT_EQ(start->sequence, 7);
    folder.save(after(71));
    EXPECT_EQ(sequence(newer), 8);
    EXPECT_EQ(sequence(older), 7);
  }
}

TEST_F(CheckpointSlots, NoMoreThanOneIsHeldAtOnce) {
  const base::MultiVector vector = one_vector(host_);
  const base::Backend small =
      base::Backend::reference({.host_bytes = host_.memory().used() * 3 / 2});
  for (const auto& [newer, older] : {std::pair(kA, kB), {kB, kA}}) {
    save(newer, 8);
    save(older, 7);
    EXPECT_EQ(app::CheckpointFolder(file("")).newest(small)->sequence, 8);
    damage(newer);
    EXPECT_EQ(app::CheckpointFolder(file("")).newest(small)->sequence, 7);
  }
}

// Its number can be read, its vector cannot.
TEST_F(CheckpointSlots, ADamagedVectorIsPassedOver) {
  save(kA, 8);
  save(kB, 7);
  std::string bytes = read_file(file(kA));
  const double last = 4.5;
  const std::size_t at =
      bytes.find(std::string(reinterpret_cast<const char*>(&last), sizeof(last)));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_file(file(kA), bytes);
  EXPECT_EQ(io::read_checkpoint_sequence(file(kA)), 8);
  EXPECT_EQ(app::CheckpointFolder(file("")).newest(host_)->sequence, 7);
}

TEST_F(CheckpointSlots, TwoDamagedOnesAreNoneAndAnyIsSeen) {
  save(kB, 7);
  EXPECT_TRUE(app::CheckpointFolder(file("")).holds_any());
  save(kA, 8);
  damage(kA);
  damage(kB);
  app::CheckpointFolder folder(file(""));
  EXPECT_TRUE(folder.holds_any());
  EXPECT_FALSE(folder.newest(host_));
}

TEST_F(CheckpointSlots, NothingElseIsRemovedWithThem) {
  save(kA, 8);
  save(kB, 7);
  write_file(file(".checkpoint-a.h5.9999999-0.partial"), "");
  const std::vector<std::string> others{
      "run.json", ".results.h5.9999999-0.partial", ".checkpoint-notes", "checkpoint-c.h5",
      ".checkpoint-a.h5.mine.partial",
      // of a program that runs: this one
      base::concat(".checkpoint-a.h5.", ::getpid(), "-9.partial")};
  for (const std::string& name : others) write_file(file(name), "mine");
  app::CheckpointFolder(file("")).clear();
  for (const char* name : {kA, kB, ".checkpoint-a.h5.9999999-0.partial"})
    EXPECT_FALSE(exists(file(name))) << name;
  for (const std::string& name : others) EXPECT_EQ(read_file(file(name)), "mine") << name;
}

/// A solver that has something to save: of its rows the elements, and half of them again.
class Solver final : public solver::CheckpointSource {
 public:
  explicit Solver(const base::Backend& host, const base::Communicator& ranks = solver::kOneProcess)
      : ranks_(ranks),
        vectors_(host, ranks, base::Layout::even(kRows, ranks.size()), 1),
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
  const app::Interruption interruption_;
  Solver solver_{host_};
};

TEST_F(CheckpointTimes, WhatIsSavedIsWhatTheSolverGoesOnFrom) {
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

// The solver has taken what there was for its own vectors.
TEST_F(CheckpointTimes, AFullMemoryIsNoReasonNotToSave) {
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

TEST_F(CheckpointTimes, TheFirstOfManyRanksSavesWhatAllHave) {
  base::run_as_ranks(3, [&](const base::Communicator& ranks) {
    Solver solver(host_, ranks);
    app::CheckpointFolder folder(file(""));
    app::CheckpointWriter writer(folder, kInput, 0);
    EXPECT_TRUE(writer.report({5, 1, 9, false, {}, {}, 0, 0, 0, solver, false}));
  });
  const auto stored = app::CheckpointFolder(file("")).newest(host_);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->sequence, 1);
  for (Index row = 0; row < kRows; ++row) EXPECT_EQ(stored->basis(row, 0), element(row));
}

// The others do not wait for a first one that has no place to write to.
TEST_F(CheckpointTimes, RanksWhoseFirstCannotSaveGoOn) {
  base::run_as_ranks(3, [&](const base::Communicator& ranks) {
    Solver solver(host_, ranks);
    app::CheckpointFolder folder(file("nowhere"));
    app::CheckpointWriter writer(folder, kInput, 0);
    for (int time = 0; time < 2; ++time)
      EXPECT_TRUE(writer.report({5, 1, 9, false, {}, {}, 0, 0, 0, solver, false}));
  });
}

TEST_F(CheckpointTimes, AnIntervalIsWaitedForUnlessItIsTheLastMoment) {
  app::CheckpointFolder folder(file(""));
  app::CheckpointWriter writer(folder, kInput, kHour);
  EXPECT_TRUE(report(writer));
  EXPECT_FALSE(folder.holds_any());
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

// Where the job goes on it may be saved later; where it ends, nobody may be told that it was.
TEST_F(CheckpointTimes, WhatCannotBeSavedIsAWarningButInTheEndAnError) {
  app::CheckpointFolder folder(file("nowhere"));
  app::CheckpointWriter writer(folder, kInput, 0);
  EXPECT_TRUE(report(writer));
  std::raise(SIGTERM);
  try {
    report(writer);
    ADD_FAILURE() << "an interrupt passes for saved";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.fault(), base::Fault::cannot_write) << error.what();
  }
  EXPECT_FALSE(writer.has_stopped());
}

}  // namespace
}  // namespace cisolve::test
