#include "io/molecules/trexio.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>

#include "base/random.hpp"
#include "io/molecules/determinant_list.hpp"
#include "tests/io/fcidump_text.hpp"
#include "tests/io/hdf5_draft.hpp"

namespace cisolve {
namespace {

using test::Index;
using test::Integrals;
using test::kData;
using test::kHost;
using test::Spin;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A TREXIO file of two orbitals, any part of which a test may change before it is written.
struct TrexioDraft {
  Index orbitals = 2;
  Index alpha = 1;
  Index beta = 1;
  std::optional<Index> electrons;
  std::vector<double> core{-1.25, 0.125, 0.125, -0.5};
  std::vector<hsize_t> core_extent{2, 2};
  std::vector<int> indices{0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0};  // <00|00>, <10|10>, <11|00>
  std::vector<double> values{0.7, 0.6, 0.2};
  hid_t indices_type = H5T_STD_U8LE;
  std::vector<Index> spins;
  std::vector<Index> determinants{1, 1, 2, 1};
  bool with_repulsion = true;
  hid_t repulsion_type = H5T_IEEE_F64LE;
  hid_t count_type = H5T_STD_I64LE;  // type of mo_num
  bool with_imaginary_orbitals = false;
  std::string left_out;  // a group
};

/// Writes the layout of the library with HDF5 itself.
void write(const TrexioDraft& draft, const std::filesystem::path& path) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto group = [&](const std::string& name, const std::function<void(hid_t)>& fill) {
    if (name == draft.left_out) return;
    const hid_t id = H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    fill(id);
    H5Gclose(id);
  };
  group("mo", [&](hid_t id) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t count = H5Acreate2(id, "mo_num", draft.count_type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(count, H5T_NATIVE_INT64, &draft.orbitals);
    H5Aclose(count);
    H5Sclose(space);
    if (draft.with_imaginary_orbitals)
      test::write_list(id, "mo_coefficient_im", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                       draft.core.data(), std::ssize(draft.core));
    if (!draft.spins.empty())
      test::write_list(id, "mo_spin", H5T_STD_I64LE, H5T_NATIVE_INT64, draft.spins.data(),
                       std::ssize(draft.spins));
  });
  group("electron", [&](hid_t id) {
    test::write_attribute(id, "electron_up_num", draft.alpha);
    test::write_attribute(id, "electron_dn_num", draft.beta);
    if (draft.electrons) test::write_attribute(id, "electron_num", *draft.electrons);
  });
  group("nucleus", [&](hid_t id) {
    if (!draft.with_repulsion) return;
    const double repulsion = 0.75;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(id, "nucleus_repulsion", draft.repulsion_type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &repulsion);
    H5Aclose(attribute);
    H5Sclose(space);
  });
  group("mo_1e_int", [&](hid_t id) {
    const hid_t space = H5Screate_simple(static_cast<int>(std::ssize(draft.core_extent)),
                                         draft.core_extent.data(), nullptr);
    const hid_t set = H5Dcreate2(id, "mo_1e_int_core_hamiltonian", H5T_IEEE_F64LE, space,
                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, draft.core.data());
    H5Dclose(set);
    H5Sclose(space);
  });
  group("mo_2e_int", [&](hid_t id) {
    test::write_list(id, "mo_2e_int_eri_indices", draft.indices_type, H5T_NATIVE_INT,
                     draft.indices.data(), std::ssize(draft.indices));
    test::write_list(id, "mo_2e_int_eri_values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                     draft.values.data(), std::ssize(draft.values));
  });
  group("determinant", [&](hid_t id) {
    test::write_list(id, "determinant_list", H5T_STD_I64LE, H5T_NATIVE_INT64,
                     draft.determinants.data(), std::ssize(draft.determinants));
  });
  H5Fclose(file);
}

class TrexioTest : public test::FileTest {
 protected:
  std::filesystem::path file(const TrexioDraft& draft) const {
    write(draft, path("x.h5"));
    return path("x.h5");
  }
  io::MolecularProblem read(const TrexioDraft& draft, const io::TrexioOptions& options = {}) const {
    return io::read_trexio(file(draft), options, kHost);
  }
  void expect_refused(const TrexioDraft& draft, std::string_view words) const {
    const auto name = file(draft);
    test::expect_failure([&] { io::read_trexio(name, {}, kHost); }, base::ErrorKind::bad_input,
                         words);
  }
};

TEST_F(TrexioTest, AFileOfTheLibraryHoldsTheIntegralsOfTheDump) {
  const auto dump = io::read_fcidump(kData / "h2o_sto3g.fcidump", {}, kHost);
  const auto trexio = io::read_trexio(kData / "h2o_sto3g.trexio.h5", {}, kHost);
  test::expect_same_integrals(trexio.integrals, dump.integrals, 2e-13);
  EXPECT_EQ(trexio.alpha, dump.alpha);
  EXPECT_EQ(trexio.beta, dump.beta);
  EXPECT_EQ(trexio.dialect, "TREXIO");
  EXPECT_THAT(trexio.warnings, IsEmpty());
}

TEST_F(TrexioTest, AFileOfTheLibraryHoldsItsDeterminants) {
  const auto found = io::read_determinants(kData / "h2o_sto3g.trexio.h5", {7, 5, 5}, kHost);
  const std::vector<ci::Determinant> expected = {ci::parse_determinant("2222200", 7),
                                                 ci::parse_determinant("2222du0", 7),
                                                 ci::parse_determinant("2222d0u", 7)};
  EXPECT_EQ(found, expected);
}

TEST_F(TrexioTest, AcceptsEveryIndexWidth) {
  for (const hid_t type : {H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_I32LE, H5T_STD_U16BE}) {
    TrexioDraft draft;
    draft.indices_type = type;
    const Integrals v = read(draft).integrals;
    EXPECT_EQ(v.core_energy(), 0.75);
    EXPECT_EQ(v.one(Spin::alpha, 1, 0), 0.125);
    EXPECT_EQ(v.two(Spin::alpha, 0, 0, Spin::alpha, 0, 0), 0.7);
    EXPECT_EQ(v.two(Spin::alpha, 1, 1, Spin::alpha, 0, 0), 0.6);
    EXPECT_EQ(v.two(Spin::alpha, 1, 0, Spin::alpha, 1, 0), 0.2);
  }
}

TEST_F(TrexioTest, DistinguishesAlphaFromBetaOrbitals) {
  TrexioDraft draft;
  draft.spins = {0, 1};
  draft.core = {-1.25, 0, 0, -0.5};
  draft.indices = {0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1};
  const io::MolecularProblem problem = read(draft);
  EXPECT_EQ(problem.dialect, "TREXIO, spin-dependent");
  EXPECT_EQ(problem.integrals.orbitals(), 1);
  EXPECT_EQ(problem.integrals.one(Spin::beta, 0, 0), -0.5);
  EXPECT_EQ(problem.integrals.two(Spin::alpha, 0, 0, Spin::beta, 0, 0), 0.6);
  EXPECT_EQ(problem.integrals.two(Spin::beta, 0, 0, Spin::beta, 0, 0), 0.2);
  draft.core[1] = draft.core[2] = 0.1;
  expect_refused(draft, "couples an alpha and a beta orbital");
  draft.spins = {1, 1};
  expect_refused(draft, "0 alpha and 2 beta orbitals");
}

// The group and its attribute are optional in TREXIO: a file with a damaged name of either reads
// like a molecule without nuclei.
TEST_F(TrexioTest, AMissingRepulsionIsRefusedUnlessTheModelHasNone) {
  TrexioDraft whole;
  TrexioDraft lacking;
  lacking.with_repulsion = false;
  TrexioDraft alone;
  alone.left_out = "nucleus";
  for (const TrexioDraft& draft : {lacking, alone}) {
    expect_refused(draft, "the group nucleus has no nucleus_repulsion");
    expect_refused(draft, "problem.nucleus_repulsion: none for a model");
    const io::MolecularProblem model = read(draft, {.has_repulsion = false});
    EXPECT_EQ(model.integrals.core_energy(), 0);
    EXPECT_THAT(model.warnings, IsEmpty());
  }
  const auto given = test::failure_of([&] { read(whole, {.has_repulsion = false}); });
  ASSERT_TRUE(given);
  EXPECT_EQ(given->fault, base::ErrorKind::configuration);
  EXPECT_THAT(given->message, HasSubstr("but problem.nucleus_repulsion is none"));
}

// HDF5 accepts a damaged type and reads another number.
TEST_F(TrexioTest, RefusesNumbersOfDamagedTypes) {
  TrexioDraft real;
  real.repulsion_type = H5Tcopy(H5T_IEEE_F64LE);
  H5Tset_ebias(real.repulsion_type, 1040);
  expect_refused(real, "nucleus_repulsion of nucleus: the attribute has a wrong type");
  H5Tclose(real.repulsion_type);
  real.repulsion_type = H5T_IEEE_F32BE;
  EXPECT_EQ(read(real).integrals.core_energy(), 0.75);
  TrexioDraft count;
  count.count_type = H5Tcopy(H5T_STD_I64LE);
  H5Tset_precision(count.count_type, 56);
  expect_refused(count, "mo_num of mo: the attribute has a wrong type");
  H5Tset_offset(count.count_type, 8);
  expect_refused(count, "mo_num of mo: the attribute has a wrong type");
  H5Tclose(count.count_type);
  count.count_type = H5T_STD_U16BE;
  EXPECT_EQ(read(count).integrals.orbitals(), 2);
}

TEST_F(TrexioTest, RefusesNumbersOfElectronsThatDoNotAddUp) {
  TrexioDraft draft;
  draft.electrons = 2;
  EXPECT_EQ(read(draft).beta, 1);
  draft.electrons = 3;
  expect_refused(draft,
                 "electron: electron_num is 3, but electron_up_num and electron_dn_num are "
                 "2 together");
}

// HDF5 1.10 takes the dataspace and the value from the bytes after the message.
TEST_F(TrexioTest, RefusesAnAttributeThatClaimsMoreThanItHas) {
  const std::string whole = test::bytes_of(file({}));
  // The message: version, reserved byte, bytes of name, of type and of dataspace, then the name.
  const auto at = whole.find(std::string("electron_up_num") + '\0') - 4;
  for (int claimed = whole[at] + 8; claimed < 128; ++claimed) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(claimed);
    const auto damaged = text_file("claims.h5", bytes);
    test::expect_failure([&] { io::read_trexio(damaged, {}, kHost); }, base::ErrorKind::bad_input,
                         "electron: an attribute claims");
  }
}

/// They are recognised by their coefficients, or by an index order that only complex orbitals
/// require.
TEST_F(TrexioTest, RefusesComplexOrbitals) {
  TrexioDraft draft;
  draft.with_imaginary_orbitals = true;
  expect_refused(draft, "mo_coefficient_im: complex orbitals");
  TrexioDraft lacking;
  lacking.orbitals = 3;
  lacking.core = std::vector<double>(9, 0.0);
  lacking.core_extent = {3, 3};
  lacking.indices = {0, 0, 1, 1, 0, 1, 1, 0, 0, 2, 2, 0};  // (01|01), (01|10), (02|20)
  lacking.values = {0.2, 0.2, 0.1};
  expect_refused(lacking, "the integrals belong to complex orbitals: (3 1|1 3) is given");
  lacking.indices = {0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 2, 2};
  EXPECT_EQ(read(lacking).integrals.two(Spin::alpha, 2, 0, Spin::alpha, 0, 2), 0.1);
}

TEST_F(TrexioTest, RefusesImpossibleRequests) {
  const auto refuse = [&](const std::function<void(TrexioDraft&)>& change, std::string_view words) {
    TrexioDraft draft;
    change(draft);
    expect_refused(draft, words);
  };
  for (const std::string group : {"mo", "electron", "mo_1e_int", "mo_2e_int"})
    refuse([&](TrexioDraft& d) { d.left_out = group; }, group);
  refuse([](TrexioDraft& d) { d.orbitals = 1000000000; }, "mo_num is 1000000000");
  refuse([](TrexioDraft& d) { d.orbitals = -2; }, "mo_num is -2");
  refuse([](TrexioDraft& d) { d.orbitals = 3; }, "2 by 2 elements; expected mo_num = 3");
  refuse([](TrexioDraft& d) { d.alpha = 3; }, "3 electrons of one spin in 2 orbitals");
  refuse([](TrexioDraft& d) { d.beta = -1; }, "electron_dn_num is -1");
  refuse([](TrexioDraft& d) { d.core[1] = 0.126; }, "mo_1e_int_core_hamiltonian: element 2");
  refuse([](TrexioDraft& d) { d.core[3] = std::nan(""); }, "element 3 is not a finite number");
  refuse([](TrexioDraft& d) { d.core_extent = {4}; }, "the data set is not a table");
  refuse([](TrexioDraft& d) { d.indices[5] = 2; }, "element 5 is 2; expected 0 to 1");
  refuse([](TrexioDraft& d) { d.indices.pop_back(); }, "11 indices for 3 values");
  refuse([](TrexioDraft& d) { d.values.push_back(1); }, "12 indices for 4 values");
  refuse([](TrexioDraft& d) { d.indices_type = H5T_IEEE_F32LE; }, "expected uint8 or uint16");
  refuse([](TrexioDraft& d) { d.values[1] = INFINITY; }, "element 1 is not a finite number");
  refuse([](TrexioDraft& d) { d.indices = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0}; },
         "element 1 is 0.59999999999999998, but its equivalent");
  test::expect_failure([&] { io::read_trexio(text_file("t.h5", "not HDF5"), {}, kHost); },
                       base::ErrorKind::bad_input, "t.h5");
  test::expect_failure([&] { io::read_trexio(path("none.h5"), {}, kHost); },
                       base::ErrorKind::no_input, "none.h5");
}

TEST_F(TrexioTest, RefusesImpossibleDeterminants) {
  const auto refuse = [&](std::vector<Index> words, std::string_view said) {
    TrexioDraft draft;
    draft.determinants = std::move(words);
    const auto name = file(draft);
    test::expect_failure(
        [&] {
          io::read_determinants(name, {2, 1, 1}, kHost);
        },
        base::ErrorKind::bad_input, said);
  };
  refuse({1, 1, 3, 1}, "determinant 2 has 2 alpha and 1 beta electrons; expected 1 and 1");
  refuse({1, 1, 2, 1, 1, 1}, "determinant 3 repeats determinant 1");
  refuse({1, 4}, "determinant 1 occupies an orbital above 2");
  refuse({1, 1, 2}, "3 words; expected a multiple of 2");
  const auto name = file(TrexioDraft{});
  EXPECT_EQ(io::read_determinants(name, {2, 1, 1}, kHost).size(), 2);
  test::expect_failure(
      [&] {
        io::read_determinants(name, {3, 1, 1}, kHost);
      },
      base::ErrorKind::bad_input, "the determinants have 2 orbitals; expected 3");
}

/// Whatever is flipped or cut, the program survives, with integrals or its own error.
TEST_F(TrexioTest, DamagedFilesAreReadOrRefused) {
  const std::string whole = test::bytes_of(kData / "h2o_sto3g.trexio.h5");
  base::RandomStream random(17);
  for (int trial = 0; trial < 60; ++trial) {
    std::string bytes = trial % 4 == 0 ? whole.substr(0, random.below(whole.size())) : whole;
    for (int flips = 0; flips < 20 && !bytes.empty(); ++flips)
      bytes[random.below(std::min<std::size_t>(bytes.size(), 8192))] =
          static_cast<char>(random.below(256));
    const auto name = text_file("damaged.h5", bytes);
    const auto failure = test::failure_of([&] { io::read_trexio(name, {}, kHost); });
    if (!failure) continue;
    EXPECT_TRUE(failure->fault == base::ErrorKind::bad_input ||
                failure->fault == base::ErrorKind::resources)
        << failure->message;
  }
}

}  // namespace
}  // namespace cisolve
