#include <numeric>

#include "ci/fock/spaces/string_blocks.hpp"
#include "io/molecules/determinant_list.hpp"
#include "tests/io/hdf5_draft.hpp"
#include "tests/io/stored_results.hpp"

// Files describe determinants as combinations of strings, if possible.
namespace cisolve::test {
namespace {

using ci::Determinant;
using ci::Space;
using ci::Spin;
using ci::String;

const std::vector<int> kLabels = {0, 1, 2, 3, 0, 1};
constexpr ci::Sector kSector{.orbitals = 6, .alpha_electrons = 3, .beta_electrons = 2};

ci::Sector one_irrep(int irrep) {
  ci::Sector sector = kSector;
  sector.irreps = kLabels;
  sector.irrep = irrep;
  return sector;
}

class StoredStrings : public FileTest {
 protected:
  /// Writes results of a space, within orbitals 2 to 7 of 7 or over all of 6.
  void write(const Space& space, bool frozen) const {
    std::vector<int> active(6);
    std::iota(active.begin(), active.end(), frozen ? 1 : 0);
    const ci::Window window{frozen ? std::vector{0} : std::vector<int>(), active};
    base::MultiVector vector(kHost, space.dimension(), 1);
    for (Index row = 0; row < space.dimension(); ++row) vector(row, 0) = 1;
    const StoredSpace stored{space, window, frozen ? 7 : 6};
    io::ResultsFile(path("r.h5"), {vector.block(), base::Layout::whole(space.dimension()), &stored},
                    true)
        .commit({.provenance = {.configuration = "a",
                                .input = "b",
                                .backend = "reference",
                                .device = "c",
                                .started = "d",
                                .finished = "e"},
                 .method = "dense",
                 .completeness = "certified"});
  }

  std::vector<Determinant> read(bool frozen) const {
    const int more = frozen ? 1 : 0;
    return io::read_determinants(path("r.h5"), {6 + more, 3 + more, 2 + more}, kHost);
  }

  /// Expects that the file is read in the order in which it was written.
  void expect_same_order(const Space& space) const {
    for (const bool frozen : {false, true}) {
      write(space, frozen);
      const std::vector<Determinant> list = read(frozen);
      ASSERT_EQ(std::ssize(list), space.dimension());
      for (Index row = 0; row < space.dimension(); ++row) {
        const Determinant expected = space.determinant(row);
        const auto shifted = [&](Spin spin) {
          std::vector<int> orbitals = frozen ? std::vector{0} : std::vector<int>();
          expected[spin].for_each([&](int p) { orbitals.push_back(p + (frozen ? 1 : 0)); });
          return String::of(orbitals);
        };
        EXPECT_EQ(list[row], (Determinant{shifted(Spin::alpha), shifted(Spin::beta)})) << row;
      }
    }
  }

  void expect_strings(const Space& space, bool blocks) const {
    expect_same_order(space);
    const Hdf5File file(path("r.h5"));
    EXPECT_EQ(file.number("/", "schema"), 2);
    EXPECT_FALSE(file.has("/determinants"));
    EXPECT_EQ(file.number("/strings", "orbitals"), 7);
    EXPECT_EQ(file.number("/strings", "words"), 1);
    EXPECT_EQ(file.number("/strings", "same_orbitals"), 1);
    for (const Spin spin : {Spin::alpha, Spin::beta})
      EXPECT_EQ(file.extent(spin == Spin::alpha ? "/strings/alpha" : "/strings/beta")[0],
                space.strings(spin).size());
    EXPECT_EQ(file.has("/strings/alpha_block"), blocks);
    EXPECT_EQ(file.has("/strings/beta_block"), blocks);
  }

  void expect_determinants(const Space& space) const {
    expect_same_order(space);
    const Hdf5File file(path("r.h5"));
    EXPECT_EQ(file.number("/", "schema"), 1);
    EXPECT_FALSE(file.has("/strings"));
    EXPECT_EQ(std::ssize(file.integers("/determinants/alpha")), space.dimension());
  }

  /// A file of strings of two alpha and one beta electron in four orbitals, as another program may
  /// have written it.
  struct Draft {
    std::vector<Index> alpha = {0b0011, 0b0101, 0b0110};
    std::vector<Index> beta = {0b0001, 0b1000};
    std::vector<Index> alpha_block = {};
    std::vector<Index> beta_block = {};
    Index orbitals = 4;
  };
  std::optional<Failure> failure_of(const Draft& draft, int orbitals = 4) const {
    write_strings(draft);
    return test::failure_of([&] { io::read_determinants(path("d.h5"), {orbitals, 2, 1}, kHost); });
  }
  void write_strings(const Draft& draft) const {
    const hid_t file = H5Fcreate(path("d.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "strings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write_attribute(group, "orbitals", draft.orbitals);
    const auto put = [&](const char* name, const std::vector<Index>& values) {
      write_list(group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data(), std::ssize(values));
    };
    put("alpha", draft.alpha);
    put("beta", draft.beta);
    if (!draft.alpha_block.empty()) put("alpha_block", draft.alpha_block);
    if (!draft.beta_block.empty()) put("beta_block", draft.beta_block);
    H5Gclose(group);
    H5Fclose(file);
  }
};

TEST_F(StoredStrings, AreWrittenForProductSpaces) {
  expect_strings(ci::full_ci(kSector, kHost), false);
  const std::vector<String> alphas = {String::of({0, 1, 2}), String::of({0, 2, 5})};
  const std::vector<String> betas = {String::of({0, 1}), String::of({4, 5}), String::of({0, 5})};
  expect_strings(ci::product_space(kSector, alphas, betas, kHost), false);
  expect_strings(ci::product_space(kSector, std::vector{alphas[0]}, std::vector{betas[0]}, kHost),
                 false);
}

TEST_F(StoredStrings, AreWrittenInBlocksForOneIrrep) {
  for (int irrep = 0; irrep < 4; ++irrep)
    expect_strings(ci::full_ci(one_irrep(irrep), kHost), true);
}

/// The position of a determinant, as the document says.
TEST_F(StoredStrings, GiveTheRowOfADeterminant) {
  const Space space = ci::full_ci(one_irrep(2), kHost);
  write(space, false);
  const Hdf5File file(path("r.h5"));
  const auto alpha = file.integers("/strings/alpha");
  const auto beta = file.integers("/strings/beta");
  const auto alpha_block = file.integers("/strings/alpha_block");
  const auto beta_block = file.integers("/strings/beta_block");
  Index row = 0;
  for (std::size_t a = 0; a < alpha.size(); ++a)
    for (std::size_t b = 0; b < beta.size(); ++b) {
      if (alpha_block[a] != beta_block[b]) continue;
      const Determinant determinant = space.determinant(row++);
      EXPECT_EQ(static_cast<Index>(determinant.alpha.words()[0]), alpha[a]);
      EXPECT_EQ(static_cast<Index>(determinant.beta.words()[0]), beta[b]);
    }
  EXPECT_EQ(row, space.dimension());
}

TEST_F(StoredStrings, AreNotWrittenForOtherSpaces) {
  const std::vector<Determinant> reference = {ci::aufbau(3, 2)};
  expect_determinants(ci::excited_space(kSector, reference, std::vector{0, 1, 2}, kHost));
  expect_determinants(ci::restricted_active_space(
      kSector, {.ras1 = {0, 1}, .ras3 = {4, 5}, .holes = 1, .particles = 1}, kHost));
  const auto determinant = [](const std::vector<int>& alpha, const std::vector<int>& beta) {
    return Determinant{String::of(alpha), String::of(beta)};
  };
  const std::vector<Determinant> apart = {determinant({0, 1, 2}, {0, 1}),
                                          determinant({0, 1, 3}, {0, 2}),
                                          determinant({0, 1, 4}, {0, 3})};
  expect_determinants(ci::list_space(kSector, apart, kHost));  // blocks of more numbers
  const std::vector<Determinant> shared = {apart[0], determinant({0, 1, 2}, {0, 2}), apart[1]};
  expect_determinants(ci::list_space(kSector, shared, kHost));
  // A beta string in no determinant.
  expect_determinants(Space({.orbitals = 6,
                             .alphas = {String::of({0, 1, 2}), String::of({0, 1, 3})},
                             .betas = {String::of({0, 1}), String::of({0, 2}), String::of({1, 2})},
                             .list_of = {0, 0},
                             .lists = {{0, 2}},
                             .references = {}},
                            kHost));
}

TEST_F(StoredStrings, OfOtherProgramsAreRead) {
  Draft draft;
  write_strings(draft);
  const ci::String a = String::of({0, 1});
  const auto list = io::read_determinants(path("d.h5"), {4, 2, 1}, kHost);
  ASSERT_EQ(list.size(), 6U);
  EXPECT_EQ(list[1], (Determinant{a, String::of({3})}));
  draft.alpha_block = {7, -3, 7};
  draft.beta_block = {-3, 7};
  write_strings(draft);
  EXPECT_EQ(io::read_determinants(path("d.h5"), {4, 2, 1}, kHost),
            (std::vector<Determinant>{{a, String::of({3})},
                                      {String::of({0, 2}), String::of({0})},
                                      {String::of({1, 2}), String::of({3})}}));
}

TEST_F(StoredStrings, ImpossibleStringsAreRefused) {
  const auto expect = [&](const Draft& draft, const std::string& words, int orbitals = 4) {
    const auto failure = failure_of(draft, orbitals);
    ASSERT_TRUE(failure) << words;
    EXPECT_EQ(failure->fault, base::ErrorKind::bad_input) << failure->message;
    EXPECT_NE(failure->message.find(words), std::string::npos) << failure->message;
  };
  expect({}, "the determinants have 4 orbitals; expected 5", 5);
  expect({.orbitals = 0}, "0; expected 1 to 256");
  expect({.orbitals = 70}, "3 words; expected a multiple of 2 for 70 orbitals", 70);
  expect({.alpha = {}}, "no determinants");
  expect({.alpha = {0b0011, 0b0011}}, "determinant 3 repeats determinant 1");
  expect({.alpha = {0b0011, 0b10001}}, "determinant 3 occupies an orbital above 4");
  expect({.alpha = {0b0011, 0b0111}}, "determinant 3 has 3 alpha and 1 beta electrons");
  expect({.beta = {0b0011}}, "determinant 1 has 2 alpha and 2 beta electrons");
  expect({.alpha_block = {0, 0}, .beta_block = {0, 0}}, "2 and 2 blocks of 3 alpha and 2 beta");
  expect({.alpha_block = {0, 0, 0}, .beta_block = {0}}, "3 and 1 blocks of 3 alpha and 2 beta");
  expect({.alpha_block = {0, 0, 0}}, "beta_block");
  expect({.alpha_block = {0, 0, 0}, .beta_block = {1, 2}}, "no determinants");
}

/// A small file may describe more determinants than any memory holds.
TEST_F(StoredStrings, OfMoreDeterminantsThanMemoryAreRefused) {
  Draft draft{.alpha = {}, .beta = {}, .orbitals = 64};
  for (int p = 0; p < 64; ++p) {
    draft.beta.push_back(static_cast<Index>(std::uint64_t{1} << p));
    for (int q = 0; q < p; ++q)
      draft.alpha.push_back(static_cast<Index>(std::uint64_t{1} << p | std::uint64_t{1} << q));
  }
  write_strings(draft);
  const auto small = base::Backend::reference({.host_bytes = Index{1} << 22});
  const auto failure = test::failure_of([&] {
    io::read_determinants(path("d.h5"), {64, 2, 1}, small);
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->fault, base::ErrorKind::resources) << failure->message;
  EXPECT_NE(failure->message.find("memory: a list of determinants needs"), std::string::npos)
      << failure->message;
  EXPECT_EQ(io::read_determinants(path("d.h5"), {64, 2, 1}, kHost).size(), 2016U * 64);
}

TEST_F(StoredStrings, HaveThePredictedBytes) {
  const ci::Window all{{}, {0, 1, 2, 3, 4, 5}};
  const auto bytes = [&](const Space& space) { return io::bytes_of(StoredSpace{space, all, 6}); };
  EXPECT_EQ(bytes(ci::full_ci(kSector, kHost)), 8 * (20 + 15));
  EXPECT_EQ(bytes(ci::full_ci(one_irrep(0), kHost)), 2 * 8 * (20 + 15));
  const std::vector<Determinant> reference = {ci::aufbau(3, 2)};
  const Space cisd = ci::excited_space(kSector, reference, std::vector{0, 1, 2}, kHost);
  EXPECT_EQ(bytes(cisd), Index{16} * cisd.dimension());
  base::MultiVector vectors(kHost, cisd.dimension(), 3);
  const StoredSpace stored{cisd, all, 6};
  EXPECT_EQ(io::bytes_of({vectors.block(), base::Layout::whole(cisd.dimension()), &stored}),
            Index{40} * cisd.dimension());
}

}  // namespace
}  // namespace cisolve::test
