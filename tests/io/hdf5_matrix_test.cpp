#include "io/matrices/hdf5_matrix.hpp"

#include <fstream>

#include "io/matrices/matrix_file.hpp"
#include "tests/io/support.hpp"

namespace cisolve {
namespace {

using base::ErrorKind;
using test::Elements;
using test::expect_same;

class Hdf5Matrix : public test::FileTest {
 protected:
  void expect_round_trip(const Elements& matrix) const {
    for (const bool compress : {false, true}) {
      const auto host = base::Backend::openmp(compress ? 1 : 3);
      io::write_hdf5_matrix(path("a.h5"), test::ElementRows(matrix), {compress, true}, host);
      const auto found = io::read_hdf5_matrix(path("a.h5"), host);
      expect_same(found, matrix);
      EXPECT_EQ(found.shape.reference_columns, matrix.shape.reference_columns);
    }
  }
};

TEST_F(Hdf5Matrix, ComesBackBitForBit) {
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    SCOPED_TRACE(name);
    expect_round_trip(matrix);
  }
  expect_round_trip(test::symmetric_elements(700, 40, 5));
  expect_round_trip({{3, 3, 1, true}, {}});
  expect_round_trip({{0, 0, 0, true}, {}});
}

/// Rows by formula, more elements than one chunk of the file holds.
class Band final : public sparse::RowSource {
 public:
  sparse::MatrixShape shape() const override { return {500000, 500000, 7, false}; }
  void count(test::Index first, std::span<base::Column> lengths) const override {
    for (base::Column& length : lengths) length = static_cast<base::Column>(first++ % 7);
  }
  void fill(test::Index first, test::Index last, std::span<base::Column> columns,
            std::span<double> values) const override {
    test::Index k = 0;
    for (test::Index row = first; row < last; ++row)
      for (base::Column i = 0; i < row % 7; ++i, ++k) {
        columns[k] = static_cast<base::Column>(base::Index{1000} * i + row % 1000);
        values[k] = static_cast<double>(row) / (i + 1);
      }
  }
};

TEST_F(Hdf5Matrix, ComesBackFromSeveralChunks) {
  const auto host = base::Backend::openmp(2);
  const auto expected = sparse::build_csr(Band(), host);
  for (const bool compress : {false, true}) {
    io::write_hdf5_matrix(path("band.h5"), Band(), {compress, true}, host);
    const auto found = io::read_hdf5_matrix(path("band.h5"), host);
    EXPECT_EQ(found.shape.reference_columns, 7);
    EXPECT_TRUE(std::ranges::equal(found.offsets.span(), expected.offsets.span()));
    EXPECT_TRUE(std::ranges::equal(found.columns.span(), expected.columns.span()));
    EXPECT_TRUE(std::ranges::equal(found.values.span(), expected.values.span()));
  }
}

TEST_F(Hdf5Matrix, CompressionSavesSpace) {
  const auto host = base::Backend::openmp(2);
  io::write_hdf5_matrix(path("plain.h5"), Band(), {false, false}, host);
  io::write_hdf5_matrix(path("small.h5"), Band(), {true, false}, host);
  EXPECT_LT(2 * std::filesystem::file_size(path("small.h5")),
            std::filesystem::file_size(path("plain.h5")));
}

TEST_F(Hdf5Matrix, ReplacesAFileOnlyWhenAllowed) {
  const auto host = base::Backend::openmp(1);
  const auto file = text_file("there.h5", "precious");
  test::expect_failure([&] { io::write_hdf5_matrix(file, Band(), {}, host); },
                       ErrorKind::cannot_write, "the file exists");
  EXPECT_EQ(test::bytes_of(file), "precious");
  EXPECT_EQ(files(), 1);
}

TEST_F(Hdf5Matrix, TheExtensionChoosesTheFormat) {
  const auto host = base::Backend::openmp(2);
  Elements matrix = test::symmetric_elements(50, 6, 2);
  matrix.shape.reference_columns = 0;
  for (const std::string_view name : {"a.mtx", "a.h5", "a.hdf5"}) {
    io::write_matrix(path(name), test::ElementRows(matrix), {}, host);
    expect_same(io::read_matrix(path(name), host), matrix);
  }
  EXPECT_TRUE(test::bytes_of(path("a.mtx")).starts_with("%%MatrixMarket"));
  EXPECT_TRUE(test::bytes_of(path("a.hdf5")).starts_with("\x89HDF"));
  for (const std::string_view name : {"a.txt", "a", "a.mtx.gz"}) {
    test::expect_failure([&] { io::read_matrix(path(name), host); }, ErrorKind::no_input, "");
    std::ofstream(path(name)) << "something\n";
    test::expect_failure([&] { io::read_matrix(path(name), host); }, ErrorKind::bad_input,
                         "expected .mtx (Matrix Market), .h5 or .hdf5 (HDF5)");
    test::expect_failure([&] { io::write_matrix(path(name), test::ElementRows(matrix), {}, host); },
                         ErrorKind::usage, "expected .mtx (Matrix Market), .h5 or .hdf5 (HDF5)");
  }
}

}  // namespace
}  // namespace cisolve
