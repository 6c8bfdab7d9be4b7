#include <map>

#include "io/matrices/hdf5_matrix.hpp"
#include "tests/io/hdf5_draft.hpp"

// Matrices written without the program, in the types that h5py gives to Python's values.
namespace cisolve {
namespace {

using test::Draft;
using test::Index;

class Hdf5ByHand : public test::FileTest {
 protected:
  static sparse::Csr read(const std::filesystem::path& file) {
    return io::read_hdf5_matrix(file, base::Backend::openmp(2));
  }
  void expect_refused(const Draft& draft, std::string_view words) const {
    write(draft, path("bad.h5"));
    test::expect_failure([&] { read(path("bad.h5")); }, base::ErrorKind::bad_input, words);
  }
};

TEST_F(Hdf5ByHand, ReadsAFileMadeByAUser) {
  Draft draft;
  draft.format = "";
  draft.root.clear();
  draft.attributes.erase("symmetric");
  draft.offsets_type = H5T_STD_I32LE;
  draft.columns_type = H5T_STD_I64LE;
  draft.values_type = H5T_IEEE_F32LE;
  draft.add = [](hid_t group) { test::write_bool(group, "symmetric", true); };
  write(draft, path("by_hand.h5"));
  test::expect_same(read(path("by_hand.h5")),
                    {{3, 3, 1, true},
                     {{{0, 0}, 1.0}, {{0, 1}, 0.5}, {{1, 0}, 0.5}, {{1, 1}, 2.0}, {{2, 2}, 3.0}}});
  draft.root["schema"] = 1;
  expect_refused(draft, "attribute format of /: the attribute is missing");
  draft.add = [](hid_t group) {
    test::write_bool(group, "symmetric", true);
    test::write_variable_text(group, "/", "format", "other");
  };
  expect_refused(draft, "the format is 'other'");
  draft.add = [](hid_t group) {
    test::write_bool(group, "symmetric", true);
    test::write_variable_text(group, "/", "format", "ci-solve matrix");
  };
  write(draft, path("said.h5"));
  EXPECT_EQ(read(path("said.h5")).values[4], 3.0);
}

TEST_F(Hdf5ByHand, AColumnBeyondAllIsOutOfRange) {
  Draft draft;
  draft.add = [](hid_t group) {
    const std::vector<Index> far{0, 1, 0, 1, (Index{1} << 32) + 2};
    H5Ldelete(group, "columns", H5P_DEFAULT);
    test::write_list(group, "columns", H5T_STD_I64LE, H5T_NATIVE_INT64, far.data(), 5);
  };
  expect_refused(draft, "column 2147483647 in row 2 is out of range");
}

/// An extent of int64 columns, which are read as int32, that exceeds any memory.
TEST_F(Hdf5ByHand, AnExtentBeyondMemoryIsRefused) {
  Draft draft;
  draft.add = [](hid_t group) {
    const hsize_t extent = (hsize_t{1} << 60) + 1;
    const hsize_t chunk = 1024;
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Ldelete(group, "columns", H5P_DEFAULT);
    H5Dclose(
        H5Dcreate2(group, "columns", H5T_STD_I64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
  };
  expect_refused(draft, "columns: 1152921504606846977 by 1 elements exceed any memory");
}

}  // namespace
}  // namespace cisolve
