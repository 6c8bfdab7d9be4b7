#include <sys/file.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "io/matrices/hdf5_matrix.hpp"
#include "tests/io/hdf5_draft.hpp"

// Files with one thing wrong each, made with the HDF5 library itself.
namespace cisolve {
namespace {

using base::ErrorKind;
using test::Draft;
using test::Elements;
using test::Index;
using test::write_list;
using test::write_text;

class Hdf5Fault : public test::FileTest {
 protected:
  sparse::Csr read(const std::filesystem::path& file) const {
    return io::read_hdf5_matrix(file, base::Backend::openmp(2));
  }
  void expect_refused(const Draft& draft, std::string_view words) const {
    SCOPED_TRACE(words);
    write(draft, path("bad.h5"));
    expect_refused(path("bad.h5"), words);
  }
  void expect_refused(const std::filesystem::path& file, std::string_view words) const {
    test::expect_failure([&] { read(file); }, ErrorKind::bad_input, words);
    test::expect_failure([&] { read(file); }, ErrorKind::bad_input, file.native());
  }
  /// The draft with one change.
  template <class Change>
  static Draft with(Change change) {
    Draft draft;
    change(draft);
    return draft;
  }
};

TEST_F(Hdf5Fault, TheDraftItselfIsAccepted) {
  write(Draft(), path("good.h5"));
  test::expect_same(read(path("good.h5")),
                    {{3, 3, 1, true},
                     {{{0, 0}, 1.0}, {{0, 1}, 0.5}, {{1, 0}, 0.5}, {{1, 1}, 2.0}, {{2, 2}, 3.0}}});
}

/// A file of another program is not a damaged one of ours.
TEST_F(Hdf5Fault, AForeignFileIsRefusedWithWhatItLacks) {
  const auto file = path("foreign.h5");
  const hid_t foreign = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const std::vector<int> numbers{0, 1};
  for (const char* name : {"data", "indices", "indptr"})
    write_list(foreign, name, H5T_STD_I32LE, H5T_NATIVE_INT, numbers.data(), 2);
  H5Fclose(foreign);
  expect_refused(file,
                 "not a matrix in the layout of ci-solve: group /matrix is missing; the file holds "
                 "data, indices, indptr; expected the layout of "
                 "docs/results.md");
  Draft draft;
  draft.attributes.erase("symmetric");
  draft.attributes.erase("rows");
  draft.add = [](hid_t group) { H5Ldelete(group, "columns", H5P_DEFAULT); };
  expect_refused(draft,
                 "attribute rows of /matrix is missing; attribute symmetric of "
                 "/matrix is missing; data set /matrix/columns is missing");
}

TEST_F(Hdf5Fault, BigEndianElementsAreRead) {
  write(with([](Draft& d) {
          d.offsets_type = H5T_STD_I64BE;
          d.columns_type = H5T_STD_I32BE;
          d.values_type = H5T_IEEE_F64BE;
        }),
        path("big.h5"));
  EXPECT_EQ(read(path("big.h5")).values[4], 3.0);
}

TEST_F(Hdf5Fault, AttributesMustExistAndBeValid) {
  expect_refused(with([](Draft& d) { d.format = ""; }), "attribute format of /: the attribute is");
  expect_refused(with([](Draft& d) { d.format = "other"; }), "the format is 'other'");
  expect_refused(with([](Draft& d) { d.root["schema"] = 2; }), "schema version is 2");
  expect_refused(with([](Draft& d) { d.attributes.erase("rows"); }), "attribute rows of /matrix");
  expect_refused(with([](Draft& d) { d.attributes["rows"] = 4; }), "row_offsets: 3 elements");
  expect_refused(with([](Draft& d) { d.attributes["rows"] = -1; }), "-1 rows");
  expect_refused(with([](Draft& d) { d.attributes["columns_count"] = Index{1} << 40; }),
                 "cannot be stored");
  expect_refused(with([](Draft& d) { d.attributes["columns_count"] = 4; }), "must be square");
  expect_refused(with([](Draft& d) { d.attributes["symmetric"] = 2; }), "symmetric is 2");
  expect_refused(with([](Draft& d) { d.attributes["reference_columns"] = 4; }),
                 "4 reference columns");
  expect_refused(with([](Draft& d) {
                   d.attributes.erase("rows");
                   d.add = [](hid_t group) { write_text(group, "rows", "three"); };
                 }),
                 "attribute rows of /matrix: the attribute has a wrong type");
}

TEST_F(Hdf5Fault, ArraysMustFormAMatrix) {
  expect_refused(with([](Draft& d) { d.offsets = {1, 2, 4, 5}; }), "row_offsets range from 1 to 5");
  expect_refused(with([](Draft& d) { d.offsets = {0, 2, 4, 6}; }), "row_offsets range from 0 to 6");
  expect_refused(with([](Draft& d) {
                   d.offsets = {0, 4, 2, 5};
                 }),
                 "row_offsets decrease after row 1");
  expect_refused(with([](Draft& d) { d.offsets = {0, 1LL << 60, 4, 5}; }), "row_offsets decrease");
  expect_refused(with([](Draft& d) { d.offsets.pop_back(); }),
                 "row_offsets: 2 elements; expected 3");
  expect_refused(with([](Draft& d) { d.columns[4] = 3; }), "column 3 in row 2 is out of range");
  expect_refused(with([](Draft& d) { d.columns[4] = -1; }), "column -1 in row 2 is out of range");
  expect_refused(with([](Draft& d) { d.columns[1] = 0; }), "column 0 follows 0 in row 0");
  expect_refused(with([](Draft& d) { d.values[2] = 0.75; }), "max |H - H^T| = 0.25");
  expect_refused(with([](Draft& d) { d.values[3] = std::nan(""); }),
                 "row 1, column 1 is not finite");
  expect_refused(with([](Draft& d) { d.values[3] = std::numeric_limits<double>::infinity(); }),
                 "is not finite");
  expect_refused(with([](Draft& d) { d.values.push_back(1); }), "values: 6 elements; expected 5");
}

TEST_F(Hdf5Fault, TypesAreNotGuessed) {
  expect_refused(with([](Draft& d) { d.offsets_type = H5T_STD_U64LE; }), "expected int64 or int32");
  expect_refused(with([](Draft& d) { d.columns_type = H5T_STD_U32LE; }), "expected int32 or int64");
  expect_refused(with([](Draft& d) { d.values_type = H5T_STD_I64LE; }), "expected float64");
}

void replace_values(hid_t group, const std::function<void(hid_t group)>& make) {
  H5Ldelete(group, "values", H5P_DEFAULT);
  make(group);
}

TEST_F(Hdf5Fault, LinksAndForeignStorageAreRefused) {
  const auto with_values = [](std::function<void(hid_t group)> make) {
    return with([&](Draft& d) { d.add = [make](hid_t group) { replace_values(group, make); }; });
  };
  write(Draft(), path("other.h5"));
  const std::string other = path("other.h5");
  const std::string raw = text_file("raw.bin", std::string(40, '\0'));
  expect_refused(with_values([](hid_t) {}), "values is missing");
  expect_refused(with_values([](hid_t group) {
                   H5Lcreate_soft("/matrix/columns", group, "values", H5P_DEFAULT, H5P_DEFAULT);
                 }),
                 "values: the name is a soft or external link");
  expect_refused(with_values([&](hid_t group) {
                   H5Lcreate_external(other.c_str(), "/matrix/values", group, "values", H5P_DEFAULT,
                                      H5P_DEFAULT);
                 }),
                 "values: the name is a soft or external link");
  expect_refused(with_values([](hid_t group) {
                   H5Gclose(H5Gcreate2(group, "values", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                 }),
                 "values: the object has another kind");
  expect_refused(with_values([](hid_t group) {
                   const hsize_t extents[2] = {5, 1};
                   const hid_t space = H5Screate_simple(2, extents, nullptr);
                   H5Dclose(H5Dcreate2(group, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT));
                   H5Sclose(space);
                 }),
                 "values: the data set is not a list");
  expect_refused(with_values([&](hid_t group) {
                   const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
                   H5Pset_external(creation, raw.c_str(), 0, 40);
                   const std::vector<double> zeros(5);
                   write_list(group, "values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, zeros.data(), 5,
                              creation);
                   H5Pclose(creation);
                 }),
                 "values: its elements are stored in another file");
  expect_refused(with_values([&](hid_t group) {
                   const hsize_t extent = 5;
                   const hid_t space = H5Screate_simple(1, &extent, nullptr);
                   const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
                   H5Pset_virtual(creation, space, other.c_str(), "/matrix/values", space);
                   H5Dclose(H5Dcreate2(group, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                       creation, H5P_DEFAULT));
                   H5Pclose(creation);
                   H5Sclose(space);
                 }),
                 "values: the data set is virtual");
}

TEST_F(Hdf5Fault, OtherFiltersAreRefused) {
  expect_refused(
      with([](Draft& d) {
        d.shape_values = [](hid_t creation) {
          const hsize_t chunk = 5;
          H5Pset_chunk(creation, 1, &chunk);
          H5Pset_nbit(creation);
        };
      }),
      "values: filter number 5 is not supported; expected fletcher32, shuffle and deflate only");
  expect_refused(with([](Draft& d) {
                   d.shape_values = [](hid_t creation) {  // a plug-in's number
                     const hsize_t chunk = 5;
                     H5Pset_chunk(creation, 1, &chunk);
                     H5Pset_filter(creation, 32001, H5Z_FLAG_OPTIONAL, 0, nullptr);
                   };
                 }),
                 "values: filter number 32001");
}

TEST_F(Hdf5Fault, ClaimedExtentsNeedStoredBytes) {
  const auto claim = [](hsize_t extent, hsize_t chunk, bool deflate) {
    return with([&](Draft& d) {
      d.add = [=](hid_t group) {
        H5Ldelete(group, "values", H5P_DEFAULT);
        const hid_t space = H5Screate_simple(1, &extent, nullptr);
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        if (chunk > 0) H5Pset_chunk(creation, 1, &chunk);
        if (deflate) H5Pset_deflate(creation, 1);
        H5Dclose(
            H5Dcreate2(group, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
        H5Pclose(creation);
        H5Sclose(space);
      };
    });
  };
  expect_refused(claim(hsize_t{1} << 50, 0, false), "elements are claimed, but 0 bytes are stored");
  expect_refused(claim(hsize_t{1} << 50, 1 << 20, false),
                 "elements are claimed, but 0 bytes are stored");
  expect_refused(claim(hsize_t{1} << 50, 1 << 20, true),
                 "elements are claimed, but 0 bytes are stored");
  expect_refused(claim(5, 0, false), "5 elements are claimed, but 0 bytes are stored");
  expect_refused(claim(hsize_t{1} << 61, 1 << 10, true), "exceed any memory");
  expect_refused(claim(hsize_t{1} << 40, hsize_t{1} << 28, true), "chunks have 268435456 elements");
}

TEST_F(Hdf5Fault, AChunkOfNoElementsIsRefused) {
  write(with([](Draft& d) {
          d.shape_values = [](hid_t creation) {
            const hsize_t chunk = 3;
            H5Pset_chunk(creation, 1, &chunk);
          };
        }),
        path("chunked.h5"));
  EXPECT_EQ(read(path("chunked.h5")).values[4], 3.0);
  std::string bytes = test::bytes_of(path("chunked.h5"));
  using std::string_literals::operator""s;
  const std::string extent_and_element_size = "\3\0\0\0\10\0\0\0"s;
  const auto at = bytes.find(extent_and_element_size);
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(bytes.find(extent_and_element_size, at + 1), std::string::npos);
  bytes[at] = '\0';
  expect_refused(text_file("zero.h5", bytes), "values");
}

TEST_F(Hdf5Fault, AMissingChunkIsNotReadAsZeros) {
  expect_refused(with([](Draft& d) {
                   d.add = [](hid_t group) {
                     H5Ldelete(group, "values", H5P_DEFAULT);
                     const hsize_t extent = 5;
                     const hsize_t chunk = 1;
                     const hid_t space = H5Screate_simple(1, &extent, nullptr);
                     const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
                     H5Pset_chunk(creation, 1, &chunk);
                     H5Pset_deflate(creation, 1);
                     const hid_t set = H5Dcreate2(group, "values", H5T_IEEE_F64LE, space,
                                                  H5P_DEFAULT, creation, H5P_DEFAULT);
                     const hsize_t third = 2;
                     H5Sselect_elements(space, H5S_SELECT_SET, 1, &third);
                     const hid_t one = H5Screate(H5S_SCALAR);
                     const double value = 0.5;
                     H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value);
                     H5Sclose(one);
                     H5Dclose(set);
                     H5Pclose(creation);
                     H5Sclose(space);
                   };
                 }),
                 "values: the chunk at element 0 is missing");
}

// One bit in the file says that a chunk was stored without its checksum.
TEST_F(Hdf5Fault, AChunkWithoutItsChecksumIsRefused) {
  expect_refused(with([](Draft& d) {
                   d.shape_values = [](hid_t creation) {
                     const hsize_t chunk = 5;
                     H5Pset_chunk(creation, 1, &chunk);
                     H5Pset_fletcher32(creation);
                   };
                   d.add = [](hid_t group) {
                     const hid_t set = H5Dopen2(group, "values", H5P_DEFAULT);
                     const std::array<double, 5> values{1, 0.5, 0.5, 7, 3};
                     const hsize_t first = 0;
                     constexpr std::uint32_t without_first_filter = 1;
                     EXPECT_GE(H5Dwrite_chunk(set, H5P_DEFAULT, without_first_filter, &first,
                                              sizeof values, values.data()),
                               0);
                     H5Dclose(set);
                   };
                 }),
                 "values: the chunk at element 0 is missing or was stored without its filters");
}

TEST_F(Hdf5Fault, ChunksBeyondTheBudgetAreNotAllocated) {
  base::Backend::Limits limits;
  limits.host_bytes = 4096;
  const auto host = base::Backend::openmp(1, limits);
  const Elements matrix = test::random_elements(std::vector<Index>(300, 20), 300, 1);
  io::write_hdf5_matrix(path("a.h5"), test::ElementRows(matrix), {}, base::Backend::openmp(1));
  test::expect_failure([&] { io::read_hdf5_matrix(path("a.h5"), host); }, ErrorKind::resources,
                       "not enough host memory: CSR");
}

TEST_F(Hdf5Fault, OtherFileTypesAreNamed) {
  const auto host = base::Backend::openmp(1);
  test::expect_failure([&] { io::read_hdf5_matrix(path("none.h5"), host); }, ErrorKind::no_input,
                       "none.h5: No such file");
  test::expect_failure([&] { io::read_hdf5_matrix(path("."), host); }, ErrorKind::bad_input,
                       "not a regular file");
  expect_refused(text_file("empty.h5", ""), "H5Fopen failed");
  expect_refused(text_file("text.h5", "%%MatrixMarket matrix\n"), "H5Fopen failed");
}

TEST_F(Hdf5Fault, ALockedFileIsNamedWithTheRemedy) {
  const auto host = base::Backend::openmp(1);
  write(Draft(), path("locked.h5"));
  const int descriptor = ::open(path("locked.h5").c_str(), O_RDWR);
  ASSERT_EQ(::flock(descriptor, LOCK_EX | LOCK_NB), 0);
  test::expect_failure([&] { io::read_hdf5_matrix(path("locked.h5"), host); },
                       ErrorKind::cannot_write,
                       "set HDF5_USE_FILE_LOCKING=FALSE, or copy the file to a local disk");
  ::close(descriptor);
  EXPECT_EQ(io::read_hdf5_matrix(path("locked.h5"), host).nonzeros(), 5);
}

}  // namespace
}  // namespace cisolve
