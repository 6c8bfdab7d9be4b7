#include <sys/resource.h>

#include <csignal>

#include "tests/io/checkpoint_file.hpp"

namespace cisolve::test {
namespace {

class CheckpointFile : public CheckpointTest {
 protected:
  void overwrite(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
};

TEST_F(CheckpointFile, ReadsBackWhatWasWritten) {
  io::write_checkpoint(path_, make(4));
  io::write_checkpoint(path_, make(5));  // replaces it
  const io::StoredCheckpoint read = io::read_checkpoint(path_, host_);
  const io::StoredCheckpoint made = make(5);
  EXPECT_EQ(read.input, made.input);
  EXPECT_EQ(read.sequence, 5);
  EXPECT_EQ(read.iterations, 7);
  EXPECT_EQ(read.products, 21);
  EXPECT_EQ(read.energies, made.energies);
  ASSERT_EQ(read.basis.rows(), 1001);
  ASSERT_EQ(read.basis.columns(), 3);
  for (int j = 0; j < 3; ++j)
    for (Index row = 0; row < 1001; ++row) ASSERT_EQ(read.basis(row, j), made.basis(row, j));
  EXPECT_EQ(files(), 1);
}

TEST_F(CheckpointFile, NoCutAndNoFlippedBitGivesOtherNumbers) {
  io::write_checkpoint(path_, make(4, 97));
  const std::string good = bytes_of(path_);
  std::uint64_t random = 1;
  for (int round = 0; round < 60; ++round) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::string bad = good;
    const std::size_t at = (random >> 20) % good.size();
    if (round % 3 == 0)
      bad.resize(at);
    else
      bad[at] = static_cast<char>(bad[at] ^ 1 << (random >> 8) % 8);
    overwrite(bad);
    try {
      const io::StoredCheckpoint read = io::read_checkpoint(path_, host_);
      const io::StoredCheckpoint made = make(4, 97);
      EXPECT_EQ(read.input, made.input);
      EXPECT_EQ(read.energies, made.energies);
      for (int j = 0; j < 3; ++j)
        for (Index row = 0; row < 97; ++row) ASSERT_EQ(read.basis(row, j), made.basis(row, j));
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input) << error.what();
    }
  }
}

TEST_F(CheckpointFile, AnotherFileIsRefused) {
  overwrite("not HDF5 at all");
  expect_refused("c.h5");
  std::filesystem::remove(path_);
  expect_failure([this] { io::read_checkpoint(path_, host_); }, base::ErrorKind::no_input, "c.h5");
}

TEST_F(CheckpointFile, AFullDiskLeavesTheOldOne) {
  io::write_checkpoint(path_, make(4));
  const std::string good = bytes_of(path_);
  const rlimit small{1 << 20, RLIM_INFINITY};
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  try {
    io::write_checkpoint(path_, make(5, 100'000));
    ADD_FAILURE() << "it was written";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::cannot_write);
    EXPECT_NE(std::string(error.what()).find("no space"), std::string::npos) << error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(bytes_of(path_) == good);  // too long to be shown
  EXPECT_EQ(files(), 1);
}

// Even while it is read back.
TEST_F(CheckpointFile, OneAbandonedAtAnyTimeLeavesTheOldOne) {
  io::write_checkpoint(path_, make(4));
  const std::string good = bytes_of(path_);
  io::CheckpointToWrite checkpoint{
      .input = "another", .rows = 3, .columns = 2, .stream_vectors = [](const auto& take) {
        for (const double element : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) take({&element, 1});
      }};
  constexpr int kAsked = 7;  // calls before each piece, and when all is read back
  for (int most = 0; most < kAsked; ++most) {
    int times_asked = 0;
    checkpoint.should_continue = [&] { return ++times_asked <= most; };
    expect_failure([&] { io::write_checkpoint(path_, checkpoint); }, base::ErrorKind::cannot_write,
                   "given up");
    EXPECT_TRUE(bytes_of(path_) == good) << most;
    EXPECT_EQ(files(), 1);
  }
  int times_asked = 0;
  checkpoint.should_continue = [&] { return ++times_asked <= kAsked; };
  io::write_checkpoint(path_, checkpoint);
  EXPECT_EQ(times_asked, kAsked);
  EXPECT_EQ(io::read_checkpoint(path_, host_).basis(2, 1), 6);
}

TEST_F(CheckpointTest, OnlyWholeVectorsAreWritten) {
  io::write_checkpoint(path_, make(4));
  const base::Layout::Piece reversed[] = {{0, 500, 501}, {0, 0, 500}};
  for (const base::Layout& layout :
       {base::Layout(), base::Layout::even(1001, 2), base::Layout::of_pieces(1, reversed)}) {
    io::StoredCheckpoint pieces = make(5);
    pieces.layout = layout;
    expect_failure([&] { io::write_checkpoint(path_, pieces); }, base::ErrorKind::internal,
                   "in canonical order");
  }
  const io::StoredCheckpoint read = io::read_checkpoint(path_, host_);
  EXPECT_EQ(read.sequence, 4);
  EXPECT_EQ(read.layout, base::Layout::whole(1001));
}

}  // namespace
}  // namespace cisolve::test
