#include "io/molecules/operator_file.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <functional>

#include "base/random.hpp"
#include "io/molecules/fcidump.hpp"
#include "tests/io/fcidump_text.hpp"
#include "tests/io/hdf5_draft.hpp"

// Operators of LiH by PySCF, as scripts/fcidump-of-molecule.py writes them, and what may be wrong.
namespace cisolve {
namespace {

using test::kData;
using test::kHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ci::Integrals integrals() {
  return io::read_fcidump(kData / "lih_sto3g.fcidump", {}, kHost).integrals;
}

class OperatorFileTest : public test::FileTest {
 protected:
  /// A copy of the file that `change` has altered.
  std::filesystem::path changed(const std::function<void(hid_t file)>& change) const {
    const std::filesystem::path copy = path("changed.h5");
    std::filesystem::copy_file(kData / "lih_sto3g.operators.h5", copy,
                               std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    change(file);
    H5Fclose(file);
    return copy;
  }
  void expect_refused(const std::function<void(hid_t file)>& change, std::string_view words) const {
    const auto file = changed(change);
    const ci::Integrals h = integrals();
    test::expect_failure([&] { io::read_operators(file, h); }, base::ErrorKind::bad_input, words);
  }
};

/// Changes one number of a 6 by 6 matrix.
void set(hid_t file, const char* name, int p, int q, double value) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  std::vector<double> values(36);
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  values[static_cast<std::size_t>(6 * p + q)] = value;
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(set);
}

void replace_text(hid_t file, const char* object, const char* name, const char* value) {
  H5Adelete_by_name(file, object, name, H5P_DEFAULT);
  test::write_variable_text(file, object, name, value);
}

void remove(hid_t file, const char* name) { H5Ldelete(file, name, H5P_DEFAULT); }

TEST_F(OperatorFileTest, HoldsOperatorsWithTheirDescriptions) {
  const auto operators = io::read_operators(kData / "lih_sto3g.operators.h5", integrals());
  ASSERT_EQ(operators.size(), 2U);
  const ci::OneElectronOperator& dipole = operators[0];
  EXPECT_EQ(dipole.name, "dipole");
  EXPECT_THAT(dipole.components, ElementsAre("x", "y", "z"));
  EXPECT_EQ(dipole.unit, "e a0");
  EXPECT_FALSE(dipole.antisymmetric);
  EXPECT_EQ(dipole.origin_note, "centre of nuclear charge");
  EXPECT_EQ(dipole.core_charge, 4);
  ASSERT_TRUE(dipole.origin);
  EXPECT_NEAR((*dipole.origin)[2], 0.75589045, 1e-8);
  EXPECT_NEAR(dipole.constants[2], 0, 1e-12);  // the nuclei about the centre of their charge
  EXPECT_NE(dipole.alpha[2](1, 0), 0);
  EXPECT_EQ(dipole.alpha[2](1, 0), dipole.matrix(ci::Spin::beta, 2)(1, 0));
  EXPECT_TRUE(operators[1].antisymmetric);
  EXPECT_THAT(operators[1].constants, ElementsAre(0, 0, 0));
  EXPECT_NEAR(operators[1].alpha[2](1, 0), -operators[1].alpha[2](0, 1), 1e-14);
}

TEST_F(OperatorFileTest, OfOtherOrbitalsAreRefused) {
  const auto water = io::read_fcidump(kData / "h2o_sto3g.fcidump", {}, kHost);
  test::expect_failure(
      [&] { io::read_operators(kData / "lih_sto3g.operators.h5", water.integrals); },
      base::ErrorKind::bad_input, "/one_electron: 6 orbitals, but the integrals have 7; expected");
  expect_refused([](hid_t file) { set(file, "one_electron", 2, 1, 0.5); },
                 "/one_electron: element 3 2 is 0.5, and that of the integrals is");
}

TEST_F(OperatorFileTest, SpinFreeOperatorsForUnrestrictedOrbitalsAreRefused) {
  const auto hydroxyl = io::read_fcidump(kData / "oh_uhf.fcidump", {}, kHost);
  ASSERT_EQ(hydroxyl.integrals.orbitals(), 6);
  test::expect_failure(
      [&] { io::read_operators(kData / "lih_sto3g.operators.h5", hydroxyl.integrals); },
      base::ErrorKind::bad_input, "no orbitals of beta electrons");
}

TEST_F(OperatorFileTest, InvalidOperatorsAreRefusedWithTheirPlace) {
  expect_refused([](hid_t file) { set(file, "dipole/z", 1, 0, 0.5); },
                 "/dipole/z: element 2 1 is 0.5 and 1 2 is");
  expect_refused([](hid_t file) { set(file, "dipole/z", 1, 1, NAN); },
                 "/dipole/z: element 2 2 is not a finite number");
  expect_refused([](hid_t file) { set(file, "one_electron", 1, 1, NAN); },
                 "/one_electron: element 2 2 is nan");
  expect_refused([](hid_t file) { remove(file, "one_electron"); },
                 "/one_electron: is missing; expected the one-electron integrals");
  expect_refused([](hid_t file) { remove(file, "dipole"); },
                 "/dipole: is missing, but the attribute operators of the file names it");
  expect_refused([](hid_t file) { remove(file, "dipole/y"); }, "/dipole/y: is missing");
  expect_refused([](hid_t file) { remove(file, "dipole/constants"); },
                 "/dipole/constants: is missing; expected for each component what nuclei");
  expect_refused([](hid_t file) { replace_text(file, "dipole", "symmetry", "hermitian"); },
                 "/dipole: the attribute symmetry is 'hermitian'; expected 'symmetric' or");
  expect_refused([](hid_t file) { replace_text(file, "velocity", "symmetry", "symmetric"); },
                 "/velocity/constants: is missing");
  expect_refused([](hid_t file) { replace_text(file, "dipole", "components", " "); },
                 "/dipole: the attribute components has 0 names");
  expect_refused([](hid_t file) { replace_text(file, "dipole", "components", "x"); },
                 "/dipole/constants: 3 values; expected 1");
  expect_refused([](hid_t file) { replace_text(file, "/", "operators", "dipole dipole"); },
                 "two operators of this name");
  expect_refused([](hid_t file) { replace_text(file, "/", "format", "ci-solve results"); },
                 "the format is 'ci-solve results'; expected 'ci-solve operators'");
  expect_refused(
      [](hid_t file) {
        remove(file, "dipole/x");
        const std::vector<double> values(35);
        const hid_t group = H5Gopen2(file, "dipole", H5P_DEFAULT);
        const hsize_t extent[] = {7, 5};
        const hid_t space = H5Screate_simple(2, extent, nullptr);
        const hid_t set =
            H5Dcreate2(group, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Dclose(set);
        H5Sclose(space);
        H5Gclose(group);
      },
      "/dipole/x: 7 by 5 elements; expected 6 by 6, as many orbitals as /one_electron has");
}

TEST_F(OperatorFileTest, DamagedFilesAreReadOrRefused) {
  const std::string whole = test::bytes_of(kData / "lih_sto3g.operators.h5");
  const ci::Integrals h = integrals();
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    std::string bytes = whole;
    const std::uint64_t place = base::mix(3, trial) % bytes.size();
    if (trial % 3 == 0)
      bytes.resize(place);
    else
      bytes[place] = static_cast<char>(base::mix(5, trial));
    const auto damaged = path("damaged.h5");
    std::ofstream(damaged, std::ios::binary) << bytes;
    try {
      io::read_operators(damaged, h);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("damaged.h5"));
    }
  }
}

}  // namespace
}  // namespace cisolve
