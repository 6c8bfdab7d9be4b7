#include <limits>

#include "tests/io/checkpoint_file.hpp"
#include "tests/io/hdf5_draft.hpp"

// Files that are intact for HDF5, with all checksums, and yet no checkpoints.
namespace cisolve::test {
namespace {

class CheckpointFault : public CheckpointTest {
 protected:
  void SetUp() override { io::write_checkpoint(path_, make(4)); }

  /// Replaces the value of an attribute.
  template <class Value>
  void change(const char* group, const char* name, const Value& value) const {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    const hid_t object = H5Gopen2(file, group, H5P_DEFAULT);
    EXPECT_GE(H5Adelete(object, name), 0);
    if constexpr (std::is_convertible_v<Value, Index>)
      write_attribute(object, name, value);
    else
      write_text(object, name, value);
    H5Gclose(object);
    H5Fclose(file);
  }
};

TEST_F(CheckpointFault, AnInputThatDoesNotMatchItsDigest) {
  change("/checkpoint", "input", std::string("problem: a\nspace: c\n"));
  expect_refused("input and input_sha256 do not match");
}

TEST_F(CheckpointFault, ADigestThatDoesNotMatchItsInput) {
  change("/checkpoint", "input_sha256", std::string(64, '0'));
  expect_refused("input and input_sha256 do not match");
}

TEST_F(CheckpointFault, AnotherFormatOrVersion) {
  change("/", "schema", 2);
  expect_refused("the schema version is 2, but this program reads version 1");
  change("/", "schema", 1);
  change("/", "format", std::string("ci-solve results"));
  expect_refused("the format is 'ci-solve results'");
}

// Two energies need two vectors at least.
TEST_F(CheckpointFault, InconsistentNumbers) {
  for (const auto& [rows, columns] :
       {std::pair(1000, 3), {1001, 2}, {1001, 4}, {3003, 1}, {0, 3}, {1001, 0}, {-1001, -3}}) {
    change("/checkpoint", "rows", rows);
    change("/checkpoint", "columns_count", columns);
    expect_refused("expected matching numbers");
  }
}

TEST_F(CheckpointFault, CountsBelowZero) {
  for (const char* name : {"iterations", "products"}) {
    io::write_checkpoint(path_, make(4));
    change("/checkpoint", name, -1);
    expect_refused("a count is negative");
  }
}

// The fault is in the last element of each array, which a loop that ends too early would miss.
TEST_F(CheckpointFault, NumbersThatAreNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
    io::StoredCheckpoint energies = make(4);
    energies.energies.back() = bad;
    io::write_checkpoint(path_, energies);
    expect_refused("or a number is not finite");
    for (int j = 0; j < 3; ++j) {
      io::StoredCheckpoint vectors = make(4);
      vectors.basis(1000, j) = bad;
      io::write_checkpoint(path_, vectors);
      expect_refused("or a number is not finite");
    }
  }
}

}  // namespace
}  // namespace cisolve::test
