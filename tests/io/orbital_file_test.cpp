#include "io/orbitals/orbital_file.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <cmath>
#include <functional>
#include <sstream>

#include "base/random.hpp"
#include "io/orbitals/cube.hpp"
#include "io/orbitals/molden.hpp"
#include "tests/io/fcidump_text.hpp"
#include "tests/io/hdf5_draft.hpp"

// Orbitals of LiH by PySCF, as scripts/fcidump-of-molecule.py writes them, what may be wrong with
// them, and files that show them.
namespace cisolve {
namespace {

using test::kData;
using test::kHost;
using ::testing::HasSubstr;

constexpr int kOrbitalsOfLih = 6;

class OrbitalFileTest : public test::FileTest {
 protected:
  static std::optional<ci::MolecularOrbitals> read(const std::filesystem::path& file) {
    return io::read_orbitals(file, kOrbitalsOfLih, false, kHost);
  }
  std::filesystem::path altered(const std::function<void(hid_t file)>& change) const {
    const std::filesystem::path copy = path("changed.h5");
    std::filesystem::copy_file(kData / "lih_sto3g.orbitals.h5", copy,
                               std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    change(file);
    H5Fclose(file);
    return copy;
  }
  void expect_refused_orbitals(const std::function<void(hid_t file)>& change,
                               std::string_view words) const {
    const auto file = altered(change);
    test::expect_failure([&] { read(file); }, base::ErrorKind::bad_input, words);
    test::expect_failure([&] { read(file); }, base::ErrorKind::bad_input, "changed.h5: /basis");
  }
};

/// Changes one number of a data set.
template <class Value>
void set_number(hid_t file, const std::string& name, std::size_t at, Value value, hid_t type) {
  const hid_t set = H5Dopen2(file, ("basis/" + name).c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  std::vector<Value> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  values[at] = value;
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(set);
}
auto real(const std::string& name, std::size_t at, double value) {
  return [=](hid_t file) { set_number(file, name, at, value, H5T_NATIVE_DOUBLE); };
}
auto integer(const std::string& name, std::size_t at, std::int64_t value) {
  return [=](hid_t file) { set_number(file, name, at, value, H5T_NATIVE_INT64); };
}
auto removed(const std::string& name) {
  return [=](hid_t file) { H5Ldelete(file, ("basis/" + name).c_str(), H5P_DEFAULT); };
}

TEST_F(OrbitalFileTest, HoldsTheBasisAndTheOrbitals) {
  const auto found = read(kData / "lih_sto3g.orbitals.h5");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->basis.is_spherical);
  ASSERT_EQ(found->basis.nuclei.size(), 2U);
  EXPECT_EQ(found->basis.nuclei[0].atomic_number, 3);
  EXPECT_NEAR(found->basis.nuclei[1].place[2], 3.0235618, 1e-6);
  ASSERT_EQ(found->basis.shells.size(), 4U);
  EXPECT_EQ(found->basis.shells[2].momentum, 1);
  EXPECT_EQ(found->basis.shells[3].nucleus, 1);
  EXPECT_EQ(found->basis.functions(), kOrbitalsOfLih);
  EXPECT_EQ(found->alpha.columns(), kOrbitalsOfLih);
  EXPECT_EQ(found->inactive.columns(), 0);
  EXPECT_FALSE(found->is_spin_dependent());
}

TEST_F(OrbitalFileTest, ThatHasNoneSaysSo) { EXPECT_FALSE(read(kData / "lih_sto3g.operators.h5")); }

TEST_F(OrbitalFileTest, DamageIsRefusedWithItsPlace) {
  expect_refused_orbitals(real("overlap", 1, 0.5), "overlap: element 1 2 is 0.5, and the basis");
  expect_refused_orbitals(real("overlap", 7, NAN), "overlap: element 2 2 is nan");
  expect_refused_orbitals(real("exponents", 0, 17), "overlap: element");
  expect_refused_orbitals(real("exponents", 3, -1), "shell 2: exponent -1; expected a positive");
  expect_refused_orbitals(real("coefficients", 3, NAN), "shell 2: a coefficient is nan");
  expect_refused_orbitals(real("coordinates", 5, 2.9), "overlap: element");
  expect_refused_orbitals(real("coordinates", 5, INFINITY), "atom 2: its charge or a coordinate");
  expect_refused_orbitals(real("orbitals", 0, 2), "orbitals: the overlap of orbitals 1 and 1 is");
  expect_refused_orbitals(integer("shell_atoms", 0, 3), "shell 1: atom 3; expected 1 to 2");
  expect_refused_orbitals(integer("shell_atoms", 0, 0), "shell 1: atom 0; expected 1 to 2");
  expect_refused_orbitals(integer("shell_momenta", 0, std::int64_t{1} << 40), "out of range");
  expect_refused_orbitals(integer("shell_momenta", 0, 1), "overlap: 6 by 6 elements; expected 8");
  expect_refused_orbitals(integer("shell_primitives", 3, 2), "12 exponents; expected 11");
  expect_refused_orbitals(integer("shell_primitives", 3, 4), "shell 4 has 4 Gaussians");
  expect_refused_orbitals(integer("atomic_numbers", 0, -3), "atom 1: atomic number -3");
  for (const char* name : {"atomic_numbers", "charges", "coordinates", "shell_atoms", "overlap",
                           "exponents", "orbitals"})
    expect_refused_orbitals(removed(name), "is missing; expected an undamaged group of a basis");
  expect_refused_orbitals(
      [](hid_t file) {
        H5Adelete_by_name(file, "basis", "version", H5P_DEFAULT);
        const hid_t group = H5Gopen2(file, "basis", H5P_DEFAULT);
        test::write_attribute(group, "version", 2);
        H5Gclose(group);
      },
      "/basis: the attribute version is 2; expected 1, or a newer version of this program");
  test::expect_failure([&] { io::read_orbitals(kData / "lih_sto3g.orbitals.h5", 5, false, kHost); },
                       base::ErrorKind::bad_input,
                       "orbitals: 6 by 6 elements; expected 6 basis functions by 5");
  test::expect_failure([&] { io::read_orbitals(kData / "lih_sto3g.orbitals.h5", 6, true, kHost); },
                       base::ErrorKind::bad_input, "no orbitals of beta electrons");
}

TEST_F(OrbitalFileTest, DamagedBytesAreReadOrRefused) {
  const std::string whole = test::bytes_of(kData / "lih_sto3g.orbitals.h5");
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    std::string bytes = whole;
    const std::uint64_t place = base::mix(7, trial) % bytes.size();
    if (trial % 3 == 0)
      bytes.resize(place);
    else
      bytes[place] = static_cast<char>(base::mix(11, trial));
    const auto damaged = path("damaged.h5");
    std::ofstream(damaged, std::ios::binary) << bytes;
    try {
      read(damaged);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("damaged.h5"));
    }
  }
}

TEST_F(OrbitalFileTest, MoldenFilesHaveFunctionsInTheirOrder) {
  const ci::GaussianBasis basis{
      .nuclei = {{.atomic_number = 8, .charge = 6}, {.atomic_number = 1, .charge = 1}},
      .shells = {{.nucleus = 1, .exponents = {1}, .coefficients = {3}},
                 {.nucleus = 0, .momentum = 2, .exponents = {2}, .coefficients = {1}}}};
  const std::vector<double> c = {9, -2, -1, 0, 1, 2};
  const io::MoldenOrbital orbital{.label = "o1", .occupation = 2, .coefficients = c};
  io::OutputFile file(path("a.molden"), false);
  io::write_molden(file, basis, "a title", {&orbital, 1});
  file.commit();
  const std::string text = test::bytes_of(path("a.molden"));
  for (const char* words :
       {"[Molden Format]\n[Title]\na title\n[Atoms] (AU)\nO 1 8 ", "[GTO]\n1 0\nd 1 1.00\n",
        "\n\n2 0\ns 1 1.00\n1.0000000000000000e+00 1.0000000000000000e+00\n",
        "[5D]\n[7F]\n[9G]\n[Core]\n1 : 2\n[MO]\nSym= o1\n", "Spin= Alpha\nOccup= 2.00",
        "1 0.0000000000000000e+00\n2 1.0000000000000000e+00\n3 -1.0000000000000000e+00\n4 "
        "2.0000000000000000e+00\n5 -2.0000000000000000e+00\n6 9.0000000000000000e+00\n"})
    EXPECT_THAT(text, HasSubstr(words));
}

TEST_F(OrbitalFileTest, CubeFilesHaveTheirGridAndTheirValues) {
  const auto orbitals = *read(kData / "lih_sto3g.orbitals.h5");
  const io::CubeGrid grid = io::grid_around(orbitals.basis, 0.5, 2);
  EXPECT_EQ(grid.points[0], 9);
  EXPECT_EQ(grid.points[2], 16);
  EXPECT_LE(grid.origin[2], -2);
  const auto numbers_of = [&](const base::SmallMatrix& shown, const std::vector<double>& weights,
                              io::CubeValues values) {
    io::OutputFile file(path("a.cube"), true);
    io::write_cube(file, orbitals.basis, "a title", grid, shown, weights, values, kHost);
    file.commit();
    std::istringstream in(test::bytes_of(path("a.cube")));
    std::string line;
    for (int k = 0; k < 8; ++k) std::getline(in, line);
    EXPECT_EQ(line, "1 1.000000 0.00000000 0.00000000 3.02356180");
    std::vector<double> numbers;
    for (double value = 0; in >> value;) numbers.push_back(value);
    return numbers;
  };
  base::SmallMatrix first(kOrbitalsOfLih, 1);
  for (int k = 0; k < kOrbitalsOfLih; ++k) first(k, 0) = orbitals.alpha(k, 0);
  const auto one = numbers_of(first, {1}, io::CubeValues::orbital);
  const auto density = numbers_of(orbitals.alpha, {3, 0, 0, 0, 0, 0}, io::CubeValues::density);
  ASSERT_EQ(one.size(), 9U * 9 * 16);
  ASSERT_EQ(density.size(), one.size());
  for (std::size_t k = 0; k < one.size(); ++k)
    EXPECT_NEAR(density[k], 3 * one[k] * one[k], 1e-7 * density[k] + 1e-12);
  test::expect_failure(
      [&] { io::require_sensible(io::grid_around(orbitals.basis, 0.01, 100), "keys"); },
      base::ErrorKind::configuration, "points; expected at most 1,000,000,000: a larger spacing");
}

}  // namespace
}  // namespace cisolve
