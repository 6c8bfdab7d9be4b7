#include "io/results/results.hpp"

#include <hdf5.h>
#include <sys/resource.h>

#include <csignal>

#include "ci/spaces/spaces.hpp"
#include "io/files/sha256.hpp"
#include "io/molecules/determinant_list.hpp"
#include "tests/io/support.hpp"

// Results are read back with nothing but HDF5's own calls.
namespace cisolve::test {
namespace {

using io::StoredResults;
using io::StoredSpace;

const base::Backend kHost = base::Backend::reference();

class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0);
  }
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;
  ~Hdf5File() { H5Fclose(file_); }

  bool has(const char* path) const { return H5Lexists(file_, path, H5P_DEFAULT) > 0; }

  std::vector<hsize_t> extent(const char* path) const {
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, extent.data(), nullptr);
    H5Sclose(space);
    H5Dclose(set);
    return extent;
  }
  template <class Value>
  std::vector<Value> read(const char* path, hid_t type) const {
    std::size_t size = 1;
    for (const hsize_t length : extent(path)) size *= length;
    std::vector<Value> values(size);
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT);
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << path;
    H5Dclose(set);
    return values;
  }
  std::vector<double> reals(const char* path) const {
    return read<double>(path, H5T_NATIVE_DOUBLE);
  }
  std::vector<Index> integers(const char* path) const {
    return read<Index>(path, H5T_NATIVE_INT64);
  }

  std::string text(const char* path) const {
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    std::string value(H5Tget_size(type), '\0');
    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data());
    H5Tclose(type);
    H5Dclose(set);
    return value;
  }
  std::string text_attribute(const char* path, const char* name) const {
    const hid_t attribute = H5Aopen_by_name(file_, path, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    std::string value(H5Tget_size(type), '\0');
    H5Aread(attribute, type, value.data());
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
  }
  bool is_ascii(const char* path, const char* name) const {
    const hid_t attribute = H5Aopen_by_name(file_, path, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    const bool ascii = H5Tget_cset(type) == H5T_CSET_ASCII && H5Tis_variable_str(type) == 0;
    H5Tclose(type);
    H5Aclose(attribute);
    return ascii;
  }
  template <class Value>
  Value attribute(const char* path, const char* name, hid_t type) const {
    const hid_t attribute = H5Aopen_by_name(file_, path, name, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(attribute, 0) << path << " " << name;
    Value value{};
    H5Aread(attribute, type, &value);
    H5Aclose(attribute);
    return value;
  }
  Index number(const char* path, const char* name) const {
    return attribute<Index>(path, name, H5T_NATIVE_INT64);
  }

 private:
  hid_t file_;
};

/// A file with densities of two states of two orbitals.
io::StoredDensities small_densities() {
  return {.orbitals = {2, 5},
          .one_particle = {{1, 0, 0, 0, 0.5, 0, 0, 0.5}, {0, 0, 0, 1, 0.25, 0, 0, 0.75}},
          .natural_orbitals = {{1, 0, 0, 1}, {0, 1, 1, 0}},
          .natural_occupations = {{1.5, 0.5}, {1.75, 0.25}},
          .transition = {{0, 1, 2, 3, 4, 5, 6, 7}}};
}

class ResultsTest : public FileTest {
 protected:
  ResultsTest() {
    for (int j = 0; j < vectors_.columns(); ++j)
      for (Index row = 0; row < vectors_.rows(); ++row)
        vectors_(row, j) = 1.0 / static_cast<double>(1 + row + 100 * j);
  }

  StoredResults results() const {
    return {
        .provenance = {.configuration = "problem:\n  fcidump: a\n",
                       .input = "problem.fcidump: sha256 0\n",
                       .backend = "openmp",
                       .device = "2 threads",
                       .threads = 2,
                       .started = "2026-01-31T23:59:58Z",
                       .finished = "2026-01-31T23:59:59Z",
                       .seconds = {{"build_s", 0.25}, {"solve_s", 0.5}}},
        .method = "davidson",
        .dimension = vectors_.rows(),
        .iterations = 3,
        .products = 8,
        .verified = true,
        .orthogonality = 1e-15,
        .completeness = "certified",
        .states = {{-1.5, 1e-9, 1e-17, 2e-9, true}, {0.25, 1e-3, 1e-4, 2e-3, false}},
        .history = {{1, 2, 4, false, {-1.0}, {0.5}}, {2, 4, 8, true, {-1.5, 0.25}, {1e-9, 1e-3}}},
        .vectors = &vectors_,
        .layout = base::Layout::whole(vectors_.rows()),
        .space = &stored_};
  }

  // Two alpha and one beta electron in orbitals 2, 65 and 70 of 70, above a frozen first one.
  ci::Window window_{{0}, {1, 64, 69}};
  ci::Space space_ = ci::full_ci({.orbitals = 3, .alpha_electrons = 2, .beta_electrons = 1}, kHost);
  StoredSpace stored_{space_, window_, 70};
  base::MultiVector vectors_{kHost, space_.dimension(), 2};
};

TEST_F(ResultsTest, EverythingIsWhereTheDocumentSays) {
  io::write_results(path("r.h5"), results(), false);
  const Hdf5File file(path("r.h5"));
  EXPECT_EQ(file.text_attribute("/", "format"), "ci-solve results");
  EXPECT_EQ(file.number("/", "schema"), 1);
  EXPECT_EQ(file.text("/provenance/configuration"), "problem:\n  fcidump: a\n");
  EXPECT_EQ(file.text_attribute("/provenance", "input_sha256"),
            io::sha256("problem.fcidump: sha256 0\n"));
  EXPECT_EQ(file.text_attribute("/provenance", "backend"), "openmp");
  EXPECT_EQ(file.text_attribute("/provenance", "finished"), "2026-01-31T23:59:59Z");
  EXPECT_EQ(file.attribute<double>("/provenance/seconds", "solve_s", H5T_NATIVE_DOUBLE), 0.5);
  EXPECT_EQ(file.reals("/states/energies"), (std::vector<double>{-1.5, 0.25}));
  EXPECT_EQ(file.reals("/states/residuals"), (std::vector<double>{1e-9, 1e-3}));
  EXPECT_EQ(file.reals("/states/error_bounds"), (std::vector<double>{1e-17, 1e-4}));
  EXPECT_EQ(file.reals("/states/verified_residuals"), (std::vector<double>{2e-9, 2e-3}));
  EXPECT_EQ(file.integers("/states/converged"), (std::vector<Index>{1, 0}));
  EXPECT_EQ(file.number("/states", "dimension"), 9);
  EXPECT_EQ(file.number("/states", "verified"), 1);
  EXPECT_EQ(file.text_attribute("/states", "method"), "davidson");
  EXPECT_EQ(file.text_attribute("/states", "completeness"), "certified");
}

TEST_F(ResultsTest, WhatWasNotVerifiedIsNotSaidToBe) {
  StoredResults failed = results();
  failed.verified = false;
  io::write_results(path("r.h5"), failed, false);
  EXPECT_EQ(Hdf5File(path("r.h5")).number("/states", "verified"), 0);
}

TEST_F(ResultsTest, VectorsAreRowsWithTheBitsThatWereGiven) {
  io::write_results(path("r.h5"), results(), false);
  const Hdf5File file(path("r.h5"));
  EXPECT_EQ(file.extent("/states/vectors"), (std::vector<hsize_t>{2, 9}));
  const auto values = file.reals("/states/vectors");
  for (int j = 0; j < 2; ++j)
    for (Index row = 0; row < 9; ++row) EXPECT_EQ(values[9 * j + row], vectors_(row, j));
}

TEST_F(ResultsTest, DensitiesHaveARowForEachState) {
  const io::StoredDensities densities = small_densities();
  StoredResults with_densities = results();
  with_densities.densities = &densities;
  io::write_results(path("r.h5"), with_densities, false);
  const Hdf5File file(path("r.h5"));
  EXPECT_EQ(file.integers("/densities/orbitals"), densities.orbitals);
  EXPECT_EQ(file.extent("/densities/one_particle"), (std::vector<hsize_t>{2, 8}));
  EXPECT_EQ(file.reals("/densities/one_particle")[12], 0.25);
  EXPECT_EQ(file.extent("/densities/natural_orbitals"), (std::vector<hsize_t>{2, 4}));
  EXPECT_EQ(file.reals("/densities/natural_occupations"),
            (std::vector<double>{1.5, 0.5, 1.75, 0.25}));
  EXPECT_EQ(file.reals("/densities/transition"), densities.transition[0]);
  EXPECT_FALSE(file.has("/densities/two_particle"));
}

TEST_F(ResultsTest, TheHistoryHasARowForEachIteration) {
  io::write_results(path("r.h5"), results(), false);
  const Hdf5File file(path("r.h5"));
  EXPECT_EQ(file.integers("/history/iteration"), (std::vector<Index>{1, 2}));
  EXPECT_EQ(file.integers("/history/products"), (std::vector<Index>{4, 8}));
  EXPECT_EQ(file.integers("/history/searching"), (std::vector<Index>{0, 1}));
  EXPECT_EQ(file.extent("/history/energies"), (std::vector<hsize_t>{2, 2}));
  const auto energies = file.reals("/history/energies");
  EXPECT_EQ(energies[0], -1.0);
  EXPECT_TRUE(std::isnan(energies[1]));  // not there yet
  EXPECT_EQ(energies[3], 0.25);
}

TEST_F(ResultsTest, ItsDeterminantsServeAsAListInCanonicalOrder) {
  io::write_results(path("r.h5"), results(), false);
  {
    const Hdf5File file(path("r.h5"));
    EXPECT_EQ(file.number("/determinants", "orbitals"), 70);
    EXPECT_EQ(file.integers("/determinants/alpha").size(), 18u);
  }
  const auto list = io::read_determinants(path("r.h5"), {70, 3, 2}, kHost);
  ASSERT_EQ(std::ssize(list), space_.dimension());
  for (Index row = 0; row < space_.dimension(); ++row)
    EXPECT_EQ(ci::determinant_in(window_, list[row]), space_.determinant(row));
}

TEST_F(ResultsTest, VectorsAndDeterminantsMayBeLeftOut) {
  StoredResults small = results();
  small.vectors = nullptr;
  small.space = nullptr;
  small.history.clear();
  io::write_results(path("r.h5"), small, false);
  const Hdf5File file(path("r.h5"));
  EXPECT_FALSE(file.has("/states/vectors"));
  EXPECT_FALSE(file.has("/determinants"));
  EXPECT_TRUE(file.integers("/history/iteration").empty());
}

TEST_F(ResultsTest, TrexioStatesAreLaidOutAsTheLibraryDoes) {
  io::write_trexio_states(path("s.h5"), stored_, vectors_, false);
  {
    const Hdf5File file(path("s.h5"));
    EXPECT_TRUE(file.is_ascii("/metadata", "metadata_package_version"));  // all that it opens
    EXPECT_EQ(file.number("/mo", "mo_num"), 70);
    EXPECT_EQ(file.number("/electron", "electron_up_num"), 3);
    EXPECT_EQ(file.number("/electron", "electron_dn_num"), 2);
    EXPECT_EQ(file.number("/determinant", "determinant_num"), 9);
    const auto words = file.integers("/determinant/determinant_list");
    ASSERT_EQ(words.size(), 9u * 4);
    EXPECT_EQ(words[0], 0b11);  // orbitals 1 and 2 of the first word, alpha
    EXPECT_EQ(words[1], 1);     // orbital 65
    EXPECT_EQ(words[2], 0b11);  // beta: 1 and 2
    EXPECT_EQ(words[3], 0);
    const auto first = file.reals("/determinant/determinant_coefficient");
    const auto second = file.reals("/determinant/determinant_coefficient_state_1");
    for (Index row = 0; row < 9; ++row) {
      EXPECT_EQ(first[row], vectors_(row, 0));
      EXPECT_EQ(second[row], vectors_(row, 1));
    }
  }
  const auto list = io::read_determinants(path("s.h5"), {70, 3, 2}, kHost);
  for (Index row = 0; row < space_.dimension(); ++row)
    EXPECT_EQ(ci::determinant_in(window_, list[row]), space_.determinant(row));
}

// With the frozen orbital above an active one, an electron below it changes the sign.
TEST_F(ResultsTest, CoefficientsBelongToTheDeterminantsOverAllOrbitals) {
  const ci::Window above{{1}, {0, 2}};
  const ci::Space space =
      ci::full_ci({.orbitals = 2, .alpha_electrons = 1, .beta_electrons = 0}, kHost);
  base::MultiVector vector(kHost, 2, 1);
  vector(0, 0) = 0.6;  // |1 2> as the file has it, |2 1> in the window
  vector(1, 0) = 0.8;
  io::write_trexio_states(path("s.h5"), {space, above, 3}, vector, false);
  EXPECT_EQ(Hdf5File(path("s.h5")).reals("/determinant/determinant_coefficient"),
            (std::vector<double>{-0.6, 0.8}));
  StoredResults small = results();
  const StoredSpace stored{space, above, 3};
  small.space = &stored;
  small.vectors = &vector;
  small.layout = base::Layout::whole(vector.rows());
  io::write_results(path("r.h5"), small, false);
  EXPECT_EQ(Hdf5File(path("r.h5")).reals("/states/vectors"), (std::vector<double>{-0.6, 0.8}));
}

TEST_F(ResultsTest, OnlyWholeVectorsAreWritten) {
  StoredResults shares = results();
  shares.layout = base::Layout::even(vectors_.rows(), 2);
  expect_failure([&] { io::write_results(path("r.h5"), shares, false); }, base::Fault::internal,
                 "in canonical order");
  EXPECT_FALSE(std::filesystem::exists(path("r.h5")));
}

TEST_F(ResultsTest, NothingIsOverwrittenUnlessAllowed) {
  text_file("r.h5", "mine");
  expect_failure([&] { io::write_results(path("r.h5"), results(), false); },
                 base::Fault::cannot_write, "exists already");
  expect_failure([&] { io::write_trexio_states(path("r.h5"), stored_, vectors_, false); },
                 base::Fault::cannot_write, "exists already");
  EXPECT_EQ(bytes_of(path("r.h5")), "mine");
  io::write_results(path("r.h5"), results(), true);
  EXPECT_EQ(Hdf5File(path("r.h5")).number("/", "schema"), 1);
}

TEST_F(ResultsTest, AFullDiskLeavesWhatWasThere) {
  text_file("r.h5", "mine");
  const base::MultiVector large(kHost, 100'000, 2);
  StoredResults wide = results();
  wide.vectors = &large;
  wide.layout = base::Layout::whole(large.rows());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{256 << 10, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_failure([&] { io::write_results(path("r.h5"), wide, true); }, base::Fault::cannot_write,
                 "no room for 1.");
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(bytes_of(path("r.h5")), "mine");
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace cisolve::test
