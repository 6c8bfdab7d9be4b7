#include <cstdlib>

#include "io/matrices/hdf5_matrix.hpp"
#include "tests/io/hdf5_draft.hpp"
#include "tests/support/sanitizers.hpp"

// Damaged files: whatever HDF5 makes of them, the program survives, reports it, and never takes a
// changed number for a right one. CISOLVE_FUZZ_ROUNDS requests more rounds than a test run has time
// for.
namespace cisolve {
namespace {

using base::ErrorKind;
using test::Elements;
using test::Index;

Index rounds() {
  const char* text = std::getenv("CISOLVE_FUZZ_ROUNDS");
  return text == nullptr ? test::unless_sanitized(300, 100) : std::atoll(text);
}

class Hdf5Fuzz : public test::FileTest {
 protected:
  void SetUp() override {
    io::write_hdf5_matrix(path("plain.h5"), test::ElementRows(plain_), {false, false}, host_);
    io::write_hdf5_matrix(path("small.h5"), test::ElementRows(small_), {true, false}, host_);
  }

  const Elements& matrix_of(std::string_view name) const {
    return name == "plain.h5" ? plain_ : small_;
  }

  /// Reads a damaged file. Returns whether it was refused; if not, the matrix must be the old one.
  bool is_refused(const std::string& bytes, const Elements& old) {
    const auto file = text_file("damaged.h5", bytes);
    try {
      const auto found = io::read_hdf5_matrix(file, host_);
      EXPECT_EQ(found.shape.reference_columns, old.shape.reference_columns);
      test::expect_same(found, old);
      return false;
    } catch (const base::Error& error) {
      const std::string message = error.what();
      EXPECT_TRUE(error.kind() == ErrorKind::bad_input || error.kind() == ErrorKind::resources)
          << message;
      count_deaths(message);
      return true;
    }
  }

  void count_deaths(const std::string& message) {
    crashes_ += message.find("reading the file crashed") != std::string::npos;
    hangs_ += message.find("does not end") != std::string::npos;
  }

  void TearDown() override {
    RecordProperty("crashes_of_the_library", static_cast<int>(crashes_));
    RecordProperty("hangs_of_the_library", static_cast<int>(hangs_));
  }

  const base::Backend host_ = base::Backend::openmp(1);
  // Without equal partners of elements, checksums alone detect a change.
  const Elements plain_ = test::random_elements(std::vector<Index>(90, 8), 90, 4);
  const Elements small_ = test::symmetric_elements(90, 8, 4);
  Index crashes_ = 0;
  Index hangs_ = 0;
};

TEST_F(Hdf5Fuzz, NoFlippedBitChangesANumber) {
  std::mt19937_64 random(1);
  Index refused = 0;
  for (const std::string_view name : {"plain.h5", "small.h5"}) {
    const std::string good = test::bytes_of(path(name));
    for (Index round = 0; round < rounds(); ++round) {
      std::string bytes = good;
      const auto at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
      refused += is_refused(bytes, matrix_of(name));
      ASSERT_FALSE(HasFailure()) << name << ", byte " << at;
    }
  }
  EXPECT_GT(refused, rounds() / 2);
}

TEST_F(Hdf5Fuzz, EveryTruncatedFileIsRefused) {
  std::mt19937_64 random(2);
  for (const std::string_view name : {"plain.h5", "small.h5"}) {
    const std::string good = test::bytes_of(path(name));
    for (Index round = 0; round < rounds() / 4; ++round) {
      const auto size = random() % good.size();
      ASSERT_TRUE(is_refused(good.substr(0, size), matrix_of(name)))
          << name << ", " << size << " bytes";
    }
  }
}

TEST_F(Hdf5Fuzz, RandomDamageIsSurvived) {
  std::mt19937_64 random(3);
  for (const std::string_view name : {"plain.h5", "small.h5"}) {
    const std::string good = test::bytes_of(path(name));
    for (Index round = 0; round < rounds(); ++round) {
      std::string bytes = good;
      for (auto changes = 1 + random() % 20; changes > 0; --changes) {
        const auto at = random() % bytes.size();
        const auto length = std::min<std::size_t>(1 + random() % 8, bytes.size() - at);
        const char filler = random() % 2 == 0 ? '\0' : '\xff';
        for (std::size_t i = 0; i < length; ++i)
          bytes[at + i] = random() % 2 == 0 ? filler : static_cast<char>(random());
      }
      is_refused(bytes, matrix_of(name));
      ASSERT_FALSE(HasFailure()) << name << ", round " << round;
    }
  }
}

/// The oldest layout of HDF5, which other programs write, has no checksums: changed numbers can
/// pass for right ones, and the library itself fails more easily.
TEST_F(Hdf5Fuzz, DamageToAFileWithoutChecksumsIsSurvived) {
  test::Draft draft;
  draft.shape_values = [](hid_t creation) {
    const hsize_t chunk = 2;
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_deflate(creation, 6);
  };
  write(draft, path("old.h5"));
  const std::string good = test::bytes_of(path("old.h5"));
  std::vector<std::size_t> places;  // most of the file is empty space
  for (std::size_t at = 0; at < good.size(); ++at)
    if (good[at] != '\0') places.push_back(at);
  std::mt19937_64 random(4);
  Index refused = 0;
  for (Index round = 0; round < rounds(); ++round) {
    std::string bytes = good;
    for (auto changes = 1 + random() % 4; changes > 0; --changes)
      bytes[places[random() % places.size()]] =
          random() % 2 == 0 ? '\xff' : static_cast<char>(random() % 256);
    const auto failure =
        test::failure_of([&] { io::read_hdf5_matrix(text_file("damaged.h5", bytes), host_); });
    if (!failure) continue;
    ++refused;
    count_deaths(failure->message);
    ASSERT_TRUE(failure->fault == ErrorKind::bad_input || failure->fault == ErrorKind::resources)
        << failure->message;
  }
  EXPECT_GT(refused, rounds() / 10);
}

}  // namespace
}  // namespace cisolve
