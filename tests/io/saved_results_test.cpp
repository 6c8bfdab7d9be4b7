#include "io/results/saved_results.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/error.hpp"
#include "base/random.hpp"
#include "io/results/saved_vectors.hpp"
#include "tests/io/stored_results.hpp"

// Written results, read again as a whole.
namespace cisolve::test {
namespace {

using io::SavedResults;
using io::SavedTable;
using testing::HasSubstr;

class SavedResultsTest : public ResultsTest {
 protected:
  static const SavedTable& table(const SavedResults& results, std::string_view name) {
    const auto found = std::ranges::find(results.tables, name, &SavedTable::name);
    if (found == results.tables.end()) base::fail(base::ErrorKind::internal, "no table ", name);
    return *found;
  }
  SavedResults read() const { return io::read_saved_results(path("r.h5")); }
  void expect_refused(const std::string& reason) const {
    const auto failure = failure_of([&] { read(); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->fault, base::ErrorKind::bad_input);
    EXPECT_THAT(failure->message, HasSubstr(path("r.h5").string()));
    EXPECT_THAT(failure->message, HasSubstr(reason));
  }
};

TEST_F(SavedResultsTest, AreReadBackAsWritten) {
  const io::StoredDensities densities = small_densities();
  StoredResults written = results();
  written.densities = &densities;
  const io::StoredEntropies entropies = small_entropies();
  written.entropies = &entropies;
  const io::StoredTransitionOrbitals pairs = small_transition_orbitals();
  written.transition_orbitals = &pairs;
  const io::StoredDyson dyson = small_dyson();
  written.dyson = &dyson;
  write(written, vectors());
  const SavedResults found = read();
  EXPECT_EQ(found.method, "davidson");
  EXPECT_EQ(found.completeness, "certified");
  EXPECT_EQ(found.dimension, vectors_.rows());
  EXPECT_TRUE(found.verified);
  EXPECT_EQ(found.words, 2);
  EXPECT_EQ(table(found, "states/energies").reals, (std::vector<double>{-1.5, 0.25}));
  EXPECT_EQ(table(found, "states/converged").wholes, (std::vector<Index>{1, 0}));
  const SavedTable& vectors = table(found, "states/vectors");
  ASSERT_EQ(vectors.rows, 2);
  ASSERT_EQ(vectors.columns, vectors_.rows());
  for (Index row = 0; row < vectors_.rows(); ++row)
    EXPECT_EQ(vectors.reals[vectors_.rows() + row], vectors_(row, 1));
  EXPECT_EQ(table(found, "densities/natural_occupations").reals,
            (std::vector<double>{1.5, 0.5, 1.75, 0.25}));
  EXPECT_EQ(table(found, "densities/transition").rows, 1);
  EXPECT_EQ(table(found, "entropies/orbitals").wholes, entropies.orbitals);
  EXPECT_EQ(table(found, "entropies/single_orbital").reals,
            (std::vector<double>{0.5, 0.75, 1, 0.25}));
  EXPECT_EQ(table(found, "entropies/mutual_information").columns, 4);
  EXPECT_EQ(table(found, "transition_orbitals/weights").reals, pairs.weights.front());
  EXPECT_EQ(table(found, "transition_orbitals/particles").reals, pairs.particles.front());
  EXPECT_EQ(table(found, "transition_orbitals/level_first").wholes, pairs.level_first);
  EXPECT_EQ(table(found, "transition_orbitals/level_holes").columns, 8);
  EXPECT_EQ(table(found, "dyson/energies").rows, 2);
  EXPECT_EQ(table(found, "dyson/energies").reals, dyson.energies);
  EXPECT_EQ(table(found, "dyson/orbitals").rows, 6);
  EXPECT_EQ(io::read_saved_energies(path("r.h5")), (std::vector<double>{-1.5, 0.25}));
  // Three alpha strings over 70 orbitals: orbitals 1 and two of 2, 65 and 70.
  const std::vector<Index>& alpha = table(found, "strings/alpha").wholes;
  EXPECT_EQ(alpha, (std::vector<Index>{3, 1, 3, Index{1} << 5, 1, 1 | Index{1} << 5}));
}

TEST_F(SavedResultsTest, AreReadWithoutVectors) {
  write(results(), {});
  const SavedResults found = read();
  EXPECT_EQ(found.words, 0);
  EXPECT_EQ(std::ranges::count(found.tables, std::string("states/vectors"), &SavedTable::name), 0);
}

TEST_F(SavedResultsTest, AreRefusedIfInconsistent) {
  StoredResults wrong = results();
  wrong.dimension += 1;
  write(wrong, vectors());
  expect_refused("/states/vectors: 2 rows of 9; expected 2 of 10");
  io::StoredDensities densities = small_densities();
  densities.orbitals.push_back(6);
  wrong = results();
  wrong.densities = &densities;
  write(wrong, vectors(), true);
  expect_refused("/densities/one_particle: 2 rows of 8; expected 2 of 18");
  io::StoredEntropies entropies = small_entropies();
  entropies.mutual.pop_back();
  wrong = results();
  wrong.entropies = &entropies;
  write(wrong, vectors(), true);
  expect_refused("/entropies/mutual_information: 1 rows of 4; expected 2 of 4");
  io::StoredTransitionOrbitals pairs = small_transition_orbitals();
  pairs.orbitals.push_back(6);
  wrong = results();
  wrong.transition_orbitals = &pairs;
  write(wrong, vectors(), true);
  expect_refused("/transition_orbitals/weights: 1 rows of 4; expected 1 of 6");
  io::StoredDyson dyson = small_dyson();
  dyson.orbitals.pop_back();
  wrong = results();
  wrong.dyson = &dyson;
  write(wrong, vectors(), true);
  expect_refused("/dyson/orbitals: 5 rows of 2; expected 6 of 2");
  wrong = results();
  wrong.states.front().energy = std::numeric_limits<double>::quiet_NaN();
  write(wrong, vectors(), true);
  expect_refused("/states/energies: a number is not finite");
}

TEST_F(SavedResultsTest, DamagedFilesAreReadOrRefused) {
  write(results(), vectors());
  const std::string whole = bytes_of(path("r.h5"));
  base::RandomStream random(5);
  int refused = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::string text = whole.substr(0, trial < 20 ? random.below(whole.size()) : whole.size());
    for (int flips = trial < 20 ? 0 : 4; flips > 0; --flips)
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    std::ofstream(path("r.h5"), std::ios::binary) << text;
    const auto failure = failure_of([&] { read(); });
    if (!failure) continue;
    ++refused;
    EXPECT_EQ(failure->fault, base::ErrorKind::bad_input) << failure->message;
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace cisolve::test
