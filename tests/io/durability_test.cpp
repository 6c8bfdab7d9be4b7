#include <fcntl.h>

#include <cerrno>

#include "io/files/output_file.hpp"
#include "io/files/unfinished.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/results/results.hpp"
#include "tests/io/checkpoint_file.hpp"
#include "tests/io/disk_calls.hpp"

// Survival of a power cut: a file and its name reach the disk in order, and the old file stays
// until the new one is there, whatever fails in between.
namespace cisolve::test {
namespace {

const std::vector<std::string> kInOrder{"fsync partial", "rename partial to c.h5", "fsync folder"};

class Durability : public CheckpointTest {
 protected:
  void TearDown() override { disk_calls = {}; }

  void write(std::string_view text, bool overwrite = true) const {
    io::OutputFile file(path_, overwrite);
    file.append(text);
    file.commit();
  }
};

TEST_F(Durability, AFolderNotYetMadeHasTheFreeSpaceOfItsParent) {
  const std::filesystem::path there = path_.parent_path();
  const auto bytes = io::free_bytes(there / "not" / "yet");
  ASSERT_TRUE(bytes);
  EXPECT_GT(*bytes, 0);
  EXPECT_LT(std::abs(*bytes - *io::free_bytes(there)), Index{1} << 34);
  EXPECT_TRUE(io::free_bytes("neither/here"));
}

TEST_F(Durability, TheBytesReachTheDiskBeforeTheName) {
  disk_calls.notes = true;
  for (const bool overwrite : {false, true}) {
    disk_calls.calls.clear();
    write("all of it", overwrite);
    EXPECT_EQ(disk_calls.calls, kInOrder) << overwrite;
    EXPECT_EQ(disk_calls.synced, "all of it");
    EXPECT_EQ(bytes_of(path_), "all of it");
  }
}

TEST_F(Durability, ACheckpointReachesTheDiskWholeBeforeItsName) {
  disk_calls.notes = true;
  io::write_checkpoint(path_, make(4));
  EXPECT_EQ(disk_calls.calls, kInOrder);
  EXPECT_EQ(disk_calls.synced, bytes_of(path_));
  EXPECT_EQ(io::read_checkpoint(path_, host_).sequence, 4);
}

TEST_F(Durability, VectorsOfResultsReachTheDiskBeforeTheRestIsKnown) {
  const base::MultiVector vectors(host_, 9, 1);
  disk_calls.notes = true;
  io::ResultsFile file(path_, {vectors.block(), base::Layout::whole(9)}, false);
  EXPECT_EQ(disk_calls.calls, std::vector<std::string>{"fsync partial"});
  disk_calls.calls.clear();
  io::StoredResults rest;
  io::Provenance& from = rest.provenance;
  for (std::string* text : {&rest.method, &rest.completeness, &from.input, &from.backend,
                            &from.device, &from.started, &from.finished})
    *text = "not empty";
  file.commit(rest);
  EXPECT_EQ(disk_calls.calls, kInOrder);
  EXPECT_EQ(disk_calls.synced, bytes_of(path_));
}

// More files than the table holds, one after the other.
TEST_F(Durability, ASignalRemovesOnlyUnfinishedFiles) {
  for (int count = 0; count < 20; ++count) write("whole");
  {
    io::OutputFile begun(path_, true);
    begun.append("half");
    EXPECT_EQ(files(), 2);
    io::remove_unfinished();
    EXPECT_EQ(files(), 1);
    expect_failure([&] { begun.commit(); }, base::ErrorKind::cannot_write, "No such file");
  }
  io::remove_unfinished();
  EXPECT_EQ(bytes_of(path_), "whole");
}

TEST_F(Durability, BytesThatDoNotReachTheDiskLeaveTheOldFile) {
  write("old");
  disk_calls.notes = true;
  disk_calls.fsync_error = EIO;
  expect_failure([&] { write("new"); }, base::ErrorKind::cannot_write,
                 "c.h5: cannot be written: Input/output error");
  expect_failure([&] { io::write_checkpoint(path_, make(4)); }, base::ErrorKind::cannot_write,
                 "Input/output error");
  EXPECT_EQ(disk_calls.calls, (std::vector<std::string>{"fsync partial", "fsync partial"}));
  EXPECT_EQ(bytes_of(path_), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(Durability, AFileThatCannotGetItsNameLeavesTheOldOne) {
  write("old");
  disk_calls.rename_error = EIO;
  expect_failure([&] { write("new"); }, base::ErrorKind::cannot_write, "Input/output error");
  expect_failure([&] { io::write_checkpoint(path_, make(4)); }, base::ErrorKind::cannot_write,
                 "Input/output error");
  EXPECT_EQ(bytes_of(path_), "old");
  EXPECT_EQ(files(), 1);
}

// A file system without a rename that never replaces a file.
TEST_F(Durability, AFileCreatedMeanwhileStaysIfRenamesCannotDetectIt) {
  io::OutputFile file(path_, false);
  file.append("new");
  text_file("c.h5", "mine");
  disk_calls.rename_error = EINVAL;
  expect_failure([&] { file.commit(); }, base::ErrorKind::cannot_write, "the file exists");
  EXPECT_EQ(bytes_of(path_), "mine");
}

TEST_F(Durability, WritesThatAreCutShortOrInterruptedLoseNothing) {
  disk_calls.most_written = 3;
  disk_calls.interrupts = true;
  io::OutputFile file(path_, false);
  file.append("a first line\n");
  file.append("a second line\n");
  file.rewrite(2, "third");
  file.commit();
  disk_calls = {};
  EXPECT_EQ(bytes_of(path_), "a third line\na second line\n");
}

// Its checksums agree: only the comparison can detect it.
TEST_F(Durability, ACheckpointReadBackWithAChangedBitIsRefused) {
  io::write_checkpoint(path_, make(4));
  const std::string old = bytes_of(path_);
  constexpr Index wide = (Index{1} << 20) + 7;  // three vectors, each longer than one read
  constexpr Index piece_size = io::hdf5::chunk_of(3 * wide);
  constexpr int pieces = (3 * wide + piece_size - 1) / piece_size;
  for (const int piece : {2, 1 + pieces}) {  // the first and the last piece after the energies
    disk_calls.falsified = piece;
    expect_failure([&] { io::write_checkpoint(path_, make(5, wide)); },
                   base::ErrorKind::cannot_write,
                   "the data read back differ from the data written");
    EXPECT_EQ(disk_calls.falsified, 0);
    EXPECT_TRUE(bytes_of(path_) == old);  // too long to be shown
    EXPECT_EQ(files(), 1);
  }
}

}  // namespace
}  // namespace cisolve::test
