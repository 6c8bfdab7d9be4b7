#include "io/matrices/npz_matrix.hpp"

#include <zlib.h>

#include <array>
#include <cstring>

#include "base/random.hpp"
#include "io/matrices/matrix_file.hpp"
#include "tests/io/support.hpp"

// Matrices of SciPy: files that it wrote, and others with one thing wrong each.
namespace cisolve {
namespace {

using base::ErrorKind;
using test::Elements;
using test::Index;
using test::kData;
using test::kHost;

const Elements kExpected{{5, 5, 0, false},
                         {{{0, 0}, 1.5},
                          {{0, 3}, -0.25},
                          {{1, 1}, 2.0},
                          {{2, 2}, 3.0},
                          {{2, 4}, 0.125},
                          {{3, 0}, -0.25},
                          {{4, 2}, 0.125},
                          {{4, 4}, -4.0}}};

template <class Number>
std::string bytes(Number number, int count = sizeof(Number)) {
  std::string text(sizeof number, '\0');
  std::memcpy(text.data(), &number, sizeof number);
  return text.substr(0, count);
}

/// An array in NumPy's format.
template <class Number>
std::string npy(const std::string& descr, const std::vector<Number>& values,
                const std::string& shape = "") {
  const std::string list = shape.empty() ? "(" + std::to_string(values.size()) + ",)" : shape;
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + list + ", }\n";
  std::string text = "\x93NUMPY\x01" + std::string(1, '\0') +
                     bytes(static_cast<std::uint16_t>(header.size())) + header;
  for (const Number& value : values) text += bytes(value);
  return text;
}

/// An archive of stored entries.
class NpzDraft {
 public:
  NpzDraft() {
    set("format", npy<std::array<char, 3>>("|S3", {{'c', 's', 'r'}}, "()"));
    set("shape", npy<Index>("<i8", {2, 3}));
    set("indptr", npy<int>("<i4", {0, 2, 3}));
    set("indices", npy<int>("<i4", {2, 0, 1}));
    set("data", npy<double>("<f8", {0.5, 1.0, -2.0}));
  }
  void set(const std::string& name, const std::string& array) { arrays_[name] = array; }
  void drop(const std::string& name) { arrays_.erase(name); }

  std::string text() const {
    std::string files;
    std::string directory;
    for (const auto& [name, array] : arrays_) {
      const std::string file = name + ".npy";
      const auto size = static_cast<std::uint32_t>(array.size());
      const auto sum =
          static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(array.data()), size));
      const std::string numbers = bytes(sum) + bytes(claimed_.value_or(size)) +
                                  bytes(claimed_.value_or(size)) +
                                  bytes(static_cast<std::uint16_t>(file.size()));
      const std::string method = bytes(method_);
      directory += bytes(0x02014b50) + std::string(6, '\0') + method + std::string(4, '\0') +
                   numbers + std::string(12, '\0') +
                   bytes(static_cast<std::uint32_t>(files.size())) + file;
      files += bytes(0x04034b50) + std::string(4, '\0') + method + std::string(4, '\0') + numbers +
               std::string(2, '\0') + file + array;
    }
    return files + directory + bytes(0x06054b50) + std::string(4, '\0') +
           bytes(static_cast<std::uint16_t>(arrays_.size())) +
           bytes(static_cast<std::uint16_t>(arrays_.size())) +
           bytes(static_cast<std::uint32_t>(directory.size())) +
           bytes(static_cast<std::uint32_t>(files.size())) + std::string(2, '\0');
  }

  std::uint16_t method_ = 0;
  std::optional<std::uint32_t> claimed_;  // bytes of each entry, instead of its own

 private:
  std::map<std::string, std::string> arrays_;
};

class NpzMatrix : public test::FileTest {
 protected:
  sparse::Csr read(const std::string& text) const {
    return io::read_npz_matrix(text_file("x.npz", text), kHost);
  }
  template <class Change>
  void expect_refused(Change change, std::string_view words) const {
    SCOPED_TRACE(words);
    NpzDraft draft;
    change(draft);
    test::expect_failure([&] { read(draft.text()); }, ErrorKind::bad_input, words);
    test::expect_failure([&] { read(draft.text()); }, ErrorKind::bad_input, "x.npz: ");
  }
};

TEST_F(NpzMatrix, ReadsWhatSciPyWrites) {
  test::expect_same(io::read_matrix(kData / "scipy_csr.npz", kHost), kExpected);
  test::expect_same(io::read_matrix(kData / "scipy_csc_float32.npz", kHost), kExpected);
  Elements eightfold = kExpected;
  for (auto& [place, value] : eightfold.at) value *= 8;
  test::expect_same(io::read_matrix(kData / "scipy_coo_int64.npz", base::Backend::openmp(2)),
                    eightfold);
}

TEST_F(NpzMatrix, AcceptsAnyOrderWithinARowAndEveryNumberType) {
  const Elements expected{{2, 3, 0, false}, {{{0, 0}, 1.0}, {{0, 2}, 0.5}, {{1, 1}, -2.0}}};
  test::expect_same(read(NpzDraft().text()), expected);
  const auto value = [&](const std::string& array) {
    NpzDraft draft;
    draft.set("data", array);
    return read(draft.text()).values[1];  // the first in the file
  };
  EXPECT_EQ(value(npy<std::int8_t>("|i1", {-3, 1, 1})), -3);
  EXPECT_EQ(value(npy<std::uint16_t>("<u2", {65535, 1, 1})), 65535);
  EXPECT_EQ(value(npy<std::uint64_t>("<u8", {7, 1, 1})), 7);
  EXPECT_EQ(value(npy<char>("|b1", {1, 1, 1})), 1);
  EXPECT_EQ(value(npy<float>("<f4", {0.25F, 1, 1})), 0.25);
  NpzDraft empty;
  empty.set("shape", npy<int>("<i4", {0, 0}));
  empty.set("indptr", npy<int>("<i4", {0}));
  empty.set("indices", npy<int>("<i4", {}));
  empty.set("data", npy<double>("<f8", {}));
  EXPECT_EQ(read(empty.text()).shape.rows, 0);
}

// The files of SciPy for these tests are symmetric, so rows and columns could be exchanged.
TEST_F(NpzMatrix, RowsArePreservedInEveryFormat) {
  const auto format = [](std::array<char, 3> name) {
    return npy<std::array<char, 3>>("|S3", {name}, "()");
  };
  NpzDraft compressed;  // the same three arrays mean another matrix by columns than by rows
  compressed.set("shape", npy<Index>("<i8", {3, 2}));
  compressed.set("format", format({'c', 's', 'c'}));
  test::expect_same(read(compressed.text()),
                    {{3, 2, 0, false}, {{{0, 0}, 1.0}, {{2, 0}, 0.5}, {{1, 1}, -2.0}}});
  NpzDraft coordinates;
  coordinates.set("format", format({'c', 'o', 'o'}));
  coordinates.set("row", npy<int>("<i4", {0, 1, 1}));
  coordinates.set("col", npy<int>("<i4", {2, 0, 1}));
  test::expect_same(read(coordinates.text()),
                    {{2, 3, 0, false}, {{{0, 2}, 0.5}, {{1, 0}, 1.0}, {{1, 1}, -2.0}}});
}

TEST_F(NpzMatrix, RefusesInconsistentArrays) {
  const auto text = [](std::array<char, 3> name) {
    return npy<std::array<char, 3>>("|S3", {name}, "()");
  };
  expect_refused([](NpzDraft& d) { d.drop("format"); }, "arrays, but not a sparse matrix of SciPy");
  expect_refused([](NpzDraft& d) { d.drop("indptr"); }, "the array indptr is missing");
  expect_refused(
      [&](NpzDraft& d) {
        d.set("format", text({'d', 'i', 'a'}));
      },
      "SciPy's format 'dia' is not supported; expected csr, csc or coo: save A.tocsr()");
  expect_refused(
      [](NpzDraft& d) {
        d.set("data", npy<double>("<c16", {1, 0, 1, 0, 1, 0}, "(3,)"));
      },
      "complex numbers are not supported");
  expect_refused([](NpzDraft& d) { d.set("data", npy<double>("|O", {1, 1, 1})); }, "'|O'");
  expect_refused([](NpzDraft& d) { d.set("data", npy<double>(">f8", {1, 1, 1})); }, "'>f8'");
  expect_refused(
      [](NpzDraft& d) {
        d.set("data", npy<double>("<f8", {1, NAN, 1}));
      },
      "element 1 is nan; expected a finite number");
  expect_refused(
      [](NpzDraft& d) {
        d.set("data", npy<double>("<f8", {1, 1, -INFINITY}));
      },
      "element 2 is -inf; expected a finite number");
  expect_refused(
      [](NpzDraft& d) {
        d.set("data", npy<Index>("<i8", {1, (Index{1} << 53) + 1, 1}));
      },
      "exact as a double");
  expect_refused(
      [](NpzDraft& d) {
        d.set("data", npy<double>("<f8", {1, 1}));
      },
      "data: 2 elements");
  expect_refused(
      [](NpzDraft& d) {
        d.set("data", npy<double>("<f8", {1, 1, 1}, "(1, 3)"));
      },
      "the array has the shape (1, 3)");
  expect_refused(
      [](NpzDraft& d) {
        d.set("data", npy<double>("<f8", {1, 1, 1}, "(3,), 'shape': (2,)"));
      },
      "expected one descr and one shape");
  expect_refused(
      [](NpzDraft& d) {
        d.set("indices", npy<int>("<i4", {2, 3, 1}));
      },
      "element 1 is 3; expected 0 to 2");
  expect_refused([](NpzDraft& d) { d.set("indices", npy<int>("<i4", {2, -1, 1})); }, "is -1");
  expect_refused(
      [](NpzDraft& d) {
        d.set("indices", npy<double>("<f8", {2, 0, 1}));
      },
      "not whole numbers");
  expect_refused(
      [](NpzDraft& d) {
        d.set("indices", npy<int>("<i4", {2, 2, 1}));
      },
      "row 0, column 2 is given twice; expected it once: save A after");
  expect_refused(
      [](NpzDraft& d) {
        d.set("indptr", npy<int>("<i4", {0, 2}));
      },
      "indptr: 2 elements");
  for (const std::vector<int>& offsets : {std::vector{0, 3, 2}, {1, 2, 3}, {0, 2, 2}})
    expect_refused([&](NpzDraft& d) { d.set("indptr", npy<int>("<i4", offsets)); },
                   "do not ascend from 0 to 3");
  expect_refused([](NpzDraft& d) { d.set("shape", npy<Index>("<i8", {2, 3, 1})); }, "3 dimensions");
}

TEST_F(NpzMatrix, AllocatesNothingForClaimedSizes) {
  expect_refused([](NpzDraft& d) { d.set("data", npy<double>("<f8", {1}, "(1000000000000,)")); },
                 "1000000000000 elements of 8 bytes do not match the 8 bytes");
  expect_refused(
      [](NpzDraft& d) {
        d.set("shape", npy<Index>("<i8", {Index{1} << 40, 3}));
      },
      "expected 0 to 2147483647");
  expect_refused(
      [](NpzDraft& d) {
        d.set("shape", npy<Index>("<i8", {2147483647, 3}));
      },
      "indptr: 3 elements; expected 2147483648");
  expect_refused([](NpzDraft& d) { d.claimed_ = 4000000000; },
                 "claims more bytes than the file has");
  expect_refused([](NpzDraft& d) { d.method_ = 14; }, "not compressed by deflate");
  expect_refused([](NpzDraft& d) { d.method_ = 8; }, "expected an undamaged .npz file");
}

TEST_F(NpzMatrix, EveryCutIsRefusedAndNoFlippedBitChangesANumber) {
  for (const char* name : {"scipy_csr.npz", "scipy_csc_float32.npz"}) {
    const std::string whole = test::bytes_of(kData / name);
    for (std::size_t length = 0; length < whole.size(); length += 17)
      test::expect_failure([&] { read(whole.substr(0, length)); }, ErrorKind::bad_input, "x.npz: ");
    base::RandomStream random(11);
    for (int trial = 0; trial < 400; ++trial) {
      std::string text = whole;
      for (int flips = 1 + trial % 3; flips > 0; --flips)
        text[random.below(text.size())] ^= static_cast<char>(1 << random.below(8));
      std::optional<sparse::Csr> matrix;
      const auto failure = test::failure_of([&] { matrix.emplace(read(text)); });
      if (failure)
        EXPECT_EQ(failure->fault, ErrorKind::bad_input) << failure->message;
      else
        test::expect_same(*matrix, kExpected);
    }
  }
}

TEST_F(NpzMatrix, OtherFilesAndUnwritablePathsAreRefused) {
  test::expect_failure([&] { read(""); }, ErrorKind::bad_input, "the file is not a ZIP archive");
  test::expect_failure([&] { read("%%MatrixMarket"); }, ErrorKind::bad_input,
                       "the file is not a ZIP archive");
  test::expect_failure([&] { io::read_npz_matrix(path("none.npz"), kHost); }, ErrorKind::no_input,
                       "none.npz");
  const sparse::Csr matrix = io::read_npz_matrix(kData / "scipy_csr.npz", kHost);
  test::expect_failure([&] { io::write_matrix(path("y.npz"), sparse::CsrRows(matrix), {}, kHost); },
                       ErrorKind::usage, ".npz files can be read but not written");
}

}  // namespace
}  // namespace cisolve
