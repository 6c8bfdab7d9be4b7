#include "io/results/results.hpp"

#include <cmath>

#include "io/files/sha256.hpp"
#include "io/molecules/determinant_list.hpp"
#include "tests/io/stored_results.hpp"

namespace cisolve::test {
namespace {

TEST_F(ResultsTest, EverythingIsWhereTheDocumentationSays) {
  write(results(), vectors());
  const Hdf5File file(path("r.h5"));
  EXPECT_EQ(file.text_attribute("/", "format"), "ci-solve results");
  EXPECT_EQ(file.number("/", "schema"), 2);
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

TEST_F(ResultsTest, UnverifiedResultsAreNotMarkedVerified) {
  StoredResults failed = results();
  failed.verified = false;
  write(failed, vectors());
  EXPECT_EQ(Hdf5File(path("r.h5")).number("/states", "verified"), 0);
}

TEST_F(ResultsTest, VectorsAreRowsWithTheirBits) {
  write(results(), vectors());
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
  write(with_densities, vectors());
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

TEST_F(ResultsTest, EntropiesHaveARowForEachStateIfThereAreAny) {
  const io::StoredEntropies entropies = small_entropies();
  StoredResults with_entropies = results();
  with_entropies.entropies = &entropies;
  write(with_entropies, vectors());
  const Hdf5File file(path("r.h5"));
  EXPECT_EQ(file.integers("/entropies/orbitals"), entropies.orbitals);
  EXPECT_EQ(file.reals("/entropies/single_orbital"), (std::vector<double>{0.5, 0.75, 1, 0.25}));
  EXPECT_EQ(file.extent("/entropies/mutual_information"), (std::vector<hsize_t>{2, 4}));
  EXPECT_EQ(file.reals("/entropies/mutual_information")[5], 1.25);
  write(results(), vectors(), true);
  EXPECT_FALSE(Hdf5File(path("r.h5")).has("/entropies"));
}

TEST_F(ResultsTest, TheHistoryHasARowForEachIteration) {
  write(results(), vectors());
  const Hdf5File file(path("r.h5"));
  EXPECT_EQ(file.integers("/history/iteration"), (std::vector<Index>{1, 2}));
  EXPECT_EQ(file.integers("/history/products"), (std::vector<Index>{4, 8}));
  EXPECT_EQ(file.integers("/history/searching"), (std::vector<Index>{0, 1}));
  EXPECT_EQ(file.extent("/history/energies"), (std::vector<hsize_t>{2, 2}));
  const auto energies = file.reals("/history/energies");
  EXPECT_EQ(energies[0], -1.0);
  EXPECT_TRUE(std::isnan(energies[1]));  // not written yet
  EXPECT_EQ(energies[3], 0.25);
}

TEST_F(ResultsTest, ItsDeterminantsServeAsAListInCanonicalOrder) {
  write(results(), vectors());
  {
    const Hdf5File file(path("r.h5"));
    EXPECT_EQ(file.number("/strings", "orbitals"), 70);
    EXPECT_EQ(file.integers("/strings/alpha").size(), 6u);
    EXPECT_EQ(file.integers("/strings/beta").size(), 6u);
  }
  const auto list = io::read_determinants(path("r.h5"), {70, 3, 2}, kHost);
  ASSERT_EQ(std::ssize(list), space_.dimension());
  for (Index row = 0; row < space_.dimension(); ++row)
    EXPECT_EQ(ci::determinant_in(window_, list[row]), space_.determinant(row));
}

TEST_F(ResultsTest, VectorsAndDeterminantsMayBeLeftOut) {
  StoredResults small = results();
  small.history.clear();
  write(small, {});
  const Hdf5File file(path("r.h5"));
  EXPECT_FALSE(file.has("/states/vectors"));
  EXPECT_FALSE(file.has("/determinants"));
  EXPECT_FALSE(file.has("/strings"));
  EXPECT_EQ(file.number("/", "schema"), 1);
  EXPECT_TRUE(file.integers("/history/iteration").empty());
}

TEST_F(ResultsTest, TrexioStatesAreLaidOutAsTheLibraryDoes) {
  write_trexio(stored_, vectors_.block());
  {
    const Hdf5File file(path("s.h5"));
    // The only attribute that it opens.
    EXPECT_TRUE(file.is_ascii("/metadata", "metadata_package_version"));
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
  write_trexio({space, above, 3}, vector.block());
  EXPECT_EQ(Hdf5File(path("s.h5")).reals("/determinant/determinant_coefficient"),
            (std::vector<double>{-0.6, 0.8}));
  const StoredSpace stored{space, above, 3};
  write(results(), {vector.block(), base::Layout::whole(vector.rows()), &stored});
  EXPECT_EQ(Hdf5File(path("r.h5")).reals("/states/vectors"), (std::vector<double>{-0.6, 0.8}));
}

// Every piece of a vector has the signs of its own rows.
TEST_F(ResultsTest, SignsFollowTheRowsOfLongVectors) {
  const ci::Window above{{5}, {0, 1, 2, 3, 4, 6, 7, 8, 9, 10}};
  const ci::Space space =
      ci::full_ci({.orbitals = 10, .alpha_electrons = 4, .beta_electrons = 4}, kHost);
  base::MultiVector long_vectors(kHost, space.dimension(), 2);
  for (int j = 0; j < 2; ++j)
    for (Index row = 0; row < space.dimension(); ++row)
      long_vectors(row, j) = static_cast<double>(1 + row + j * space.dimension());
  const StoredSpace stored{space, above, 11};
  write(results(), {long_vectors.block(), base::Layout::whole(space.dimension()), &stored});
  write_trexio(stored, long_vectors.block());
  const auto values = Hdf5File(path("r.h5")).reals("/states/vectors");
  const auto second = Hdf5File(path("s.h5")).reals("/determinant/determinant_coefficient_state_1");
  Index wrong = 0;
  for (Index row = 0; row < space.dimension(); ++row) {
    const double sign = ci::whole_determinant(above, space.determinant(row)).sign;
    for (int j = 0; j < 2; ++j)
      wrong += values[j * space.dimension() + row] != sign * long_vectors(row, j);
    wrong += second[row] != sign * long_vectors(row, 1);
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cisolve::test
