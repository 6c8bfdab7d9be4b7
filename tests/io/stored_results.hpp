#pragma once

#include <hdf5.h>

#include "base/multivector.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "io/results/results.hpp"
#include "tests/io/support.hpp"

// Small results, and files of them read back with nothing but HDF5's own calls.
namespace cisolve::test {

using io::StoredResults;
using io::StoredSpace;
using io::StoredVectors;

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
inline io::StoredDensities small_densities() {
  return {.orbitals = {2, 5},
          .one_particle = {{1, 0, 0, 0, 0.5, 0, 0, 0.5}, {0, 0, 0, 1, 0.25, 0, 0, 0.75}},
          .natural_orbitals = {{1, 0, 0, 1}, {0, 1, 1, 0}},
          .natural_occupations = {{1.5, 0.5}, {1.75, 0.25}},
          .transition = {{0, 1, 2, 3, 4, 5, 6, 7}}};
}

inline io::StoredEntropies small_entropies() {
  return {.orbitals = {2, 5},
          .single = {{0.5, 0.75}, {1, 0.25}},
          .mutual = {{0, 0.125, 0.125, 0}, {0, 1.25, 1.25, 0}}};
}

/// From the first of two states of two orbitals to the second, and of one level.
inline io::StoredTransitionOrbitals small_transition_orbitals() {
  const std::vector<double> two_frames = {1, 0, 0, 1, 0, 1, 1, 0};
  return {.orbitals = {2, 5},
          .weights = {{0.5, 0, 0.25, 0}},
          .holes = {two_frames},
          .particles = {two_frames},
          .level_first = {2},
          .level_states = {1},
          .level_hole_weights = {{0.5, 0, 0.25, 0}},
          .level_particle_weights = {{0.5, 0, 0.25, 0}},
          .level_holes = {two_frames},
          .level_particles = {two_frames}};
}

/// Between two states and three of another job, over two orbitals.
inline io::StoredDyson small_dyson() {
  return {.source = "other/results.h5",
          .spin = "beta",
          .others_have_fewer = true,
          .other_energies = {-1, -0.5, 0},
          .energies = {0.5, 1, 1.5, -1.25, -0.75, -0.25},
          .pole_strengths = {1, 0, 0.25, 0, 0, 0},
          .orbitals = {{1, 0}, {0, 0}, {0, 0.5}, {0, 0}, {0, 0}, {0, 0}}};
}

class ResultsTest : public FileTest {
 protected:
  ResultsTest() {
    for (int j = 0; j < vectors_.columns(); ++j)
      for (Index row = 0; row < vectors_.rows(); ++row)
        vectors_(row, j) = 1.0 / static_cast<double>(1 + row + Index{100} * j);
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
        .history = {{1, 2, 4, false, {-1.0}, {0.5}}, {2, 4, 8, true, {-1.5, 0.25}, {1e-9, 1e-3}}}};
  }
  StoredVectors vectors() const {
    return {std::as_const(vectors_).block(), base::Layout::whole(vectors_.rows()), &stored_};
  }
  void write(const StoredResults& results, const StoredVectors& vectors,
             bool overwrite = false) const {
    io::ResultsFile(path("r.h5"), vectors, overwrite).commit(results);
  }
  void write_trexio(const StoredSpace& space, base::ConstBlock vectors) const {
    io::TrexioFile(path("s.h5"), space, vectors, false).commit();
  }

  // Two alpha and one beta electron in orbitals 2, 65 and 70 of 70, above a frozen first one.
  ci::Window window_{{0}, {1, 64, 69}};
  ci::Space space_ = ci::full_ci({.orbitals = 3, .alpha_electrons = 2, .beta_electrons = 1}, kHost);
  StoredSpace stored_{space_, window_, 70};
  base::MultiVector vectors_{kHost, space_.dimension(), 2};
};

}  // namespace cisolve::test
