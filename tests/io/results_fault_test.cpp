#include <sys/resource.h>

#include <csignal>
#include <numeric>
#include <random>
#include <set>

#include "io/hdf5/exit_cleanup.hpp"
#include "tests/io/stored_results.hpp"

// Results that cannot be written, or must not be visible yet.
namespace cisolve::test {
namespace {

TEST_F(ResultsTest, OnlyWholeVectorsAreWritten) {
  StoredVectors split_vectors = vectors();
  split_vectors.layout = base::Layout::even(vectors_.rows(), 2);
  expect_failure([&] { write(results(), split_vectors); }, base::ErrorKind::internal,
                 "in canonical order");
  EXPECT_FALSE(std::filesystem::exists(path("r.h5")));
}

TEST_F(ResultsTest, NothingIsOverwrittenUnlessAllowed) {
  text_file("r.h5", "mine");
  text_file("s.h5", "mine");
  expect_failure([&] { write(results(), vectors()); }, base::ErrorKind::cannot_write,
                 "the file exists");
  expect_failure([&] { write_trexio(stored_, vectors_.block()); }, base::ErrorKind::cannot_write,
                 "the file exists");
  EXPECT_EQ(bytes_of(path("r.h5")), "mine");
  write(results(), vectors(), true);
  EXPECT_EQ(Hdf5File(path("r.h5")).number("/states", "dimension"), 9);
}

TEST_F(ResultsTest, NoFileHasItsNameBeforeItIsCommitted) {
  text_file("r.h5", "mine");
  {
    const io::ResultsFile begun(path("r.h5"), vectors(), true);
    const io::TrexioFile second(path("s.h5"), stored_, vectors_.block(), false);
    EXPECT_EQ(bytes_of(path("r.h5")), "mine");
    EXPECT_FALSE(std::filesystem::exists(path("s.h5")));
    EXPECT_EQ(files(), 3);
  }
  EXPECT_EQ(bytes_of(path("r.h5")), "mine");
  EXPECT_EQ(files(), 1);
}

// Skips the clean-up as the program does, before the first test: otherwise the end of this one may
// crash.
[[maybe_unused]] const bool kEndsQuietly = (io::hdf5::skip_cleanup_at_exit(), true);

/// While it exists, no file can grow beyond `bytes`.
class SmallDisk {
 public:
  explicit SmallDisk(Index bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{static_cast<rlim_t>(bytes), RLIM_INFINITY};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(ResultsTest, AFullDiskLeavesTheOldFiles) {
  text_file("r.h5", "mine");
  const base::MultiVector large(kHost, 100'000, 2);
  {
    const SmallDisk small(256 << 10);
    expect_failure(
        [&] {
          write(results(), {large.block(), base::Layout::whole(large.rows())}, true);
        },
        base::ErrorKind::cannot_write, "the disk has no space for 1.");
  }
  EXPECT_EQ(bytes_of(path("r.h5")), "mine");
  EXPECT_EQ(files(), 1);
}

// Space for the last part is checked as well, not discovered in the middle of HDF5.
TEST_F(ResultsTest, ADiskThatFillsWhileWritingLeavesNoFile) {
  io::StoredDensities densities = small_densities();
  densities.two_particle.assign(2, std::vector<double>(100'000));
  StoredResults large = results();
  large.densities = &densities;
  {
    const SmallDisk small(256 << 10);
    expect_failure([&] { write(large, vectors()); }, base::ErrorKind::cannot_write,
                   "the disk has no space for 1.");
  }
  EXPECT_EQ(files(), 0);
  write(large, vectors());
  EXPECT_EQ(Hdf5File(path("r.h5")).extent("/densities/two_particle"),
            (std::vector<hsize_t>{2, 100'000}));
}

// The disk has space for the vectors, but not for the determinants as well.
TEST_F(ResultsTest, AWriteThatFailsHalfWayLeavesNothing) {
  std::mt19937_64 random(4);  // determinants that no filter makes small
  const auto string = [&](int p) {
    return ci::String::of(
        {p, 8 + static_cast<int>(random() % 24), 32 + static_cast<int>(random() % 28)});
  };
  std::set<ci::Determinant> all;
  for (int k = 0; k < 20'000; ++k) all.insert({string(k % 8), string(k / 8 % 8)});
  const std::vector<ci::Determinant> list(all.begin(), all.end());
  const ci::Space space =
      ci::list_space({.orbitals = 60, .alpha_electrons = 3, .beta_electrons = 3}, list, kHost);
  const base::MultiVector vector(kHost, space.dimension(), 1);
  std::vector<int> active(60);
  std::iota(active.begin(), active.end(), 0);
  const ci::Window window{{}, active};
  const StoredSpace stored{space, window, 60};
  const StoredVectors part{vector.block(), base::Layout::whole(vector.rows()), &stored};
  {
    const SmallDisk small(space.dimension() * 8 + (64 << 10));
    expect_failure([&] { write(results(), part); }, base::ErrorKind::cannot_write,
                   "H5Dwrite failed: File too large (");
  }
  EXPECT_EQ(files(), 0);
  write(results(), part);
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace cisolve::test
