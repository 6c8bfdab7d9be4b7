#include "io/results/saved_vectors.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <array>
#include <limits>

#include "base/error.hpp"
#include "ci/fock/integrals/random_integrals.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/saved_orbitals.hpp"
#include "tests/io/stored_results.hpp"

// Vectors of results, read for another job.
namespace cisolve::test {
namespace {

using testing::HasSubstr;

class SavedVectors : public ResultsTest {
 protected:
  void expect_refused(base::ErrorKind fault, const std::string& reason) const {
    try {
      io::read_saved_vectors(path("r.h5"), kHost);
      FAIL() << "nothing was refused";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), fault);
      EXPECT_THAT(error.what(), HasSubstr(path("r.h5").string()));
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  }
};

TEST_F(SavedVectors, HaveTheBitsThatWereWritten) {
  write(results(), vectors());
  const base::MultiVector read = io::read_saved_vectors(path("r.h5"), kHost);
  ASSERT_EQ(read.rows(), vectors_.rows());
  ASSERT_EQ(read.columns(), vectors_.columns());
  for (int j = 0; j < read.columns(); ++j)
    for (Index row = 0; row < read.rows(); ++row) EXPECT_EQ(read(row, j), vectors_(row, j));
}

TEST_F(SavedVectors, AreRefusedIfNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    vectors_(4, 1) = bad;
    write(results(), vectors(), true);
    expect_refused(base::ErrorKind::bad_input, "a number of state 2 is not finite");
  }
}

TEST_F(SavedVectors, AreRefusedIfAbsent) {
  expect_refused(base::ErrorKind::no_input, "expected a readable file");
  write(results(), {std::nullopt, {}, &stored_});
  expect_refused(base::ErrorKind::bad_input,
                 "expected results of a job with 'output.vectors: true'");
  io::write_checkpoint(path("r.h5"), {.input = "a: b\n",
                                      .basis = vectors_.to(kHost),
                                      .layout = base::Layout::whole(vectors_.rows())});
  expect_refused(base::ErrorKind::bad_input, "expected 'ci-solve results'");
}

class SavedOrbitals : public ResultsTest {
 protected:
  static const std::string& digest() {
    static const std::string text(64, 'a');
    return text;
  }
  io::StoredVectors with(const io::StoredOrbitals& orbitals) const {
    io::StoredVectors all = vectors();
    all.orbitals = &orbitals;
    return all;
  }
  const ci::Integrals integrals_ =
      ci::random_integrals({.orbitals = 3, .coupling = 0.5, .seed = 4}, kHost);
};

TEST_F(SavedOrbitals, EqualTheWrittenOnes) {
  const io::StoredOrbitals stored{digest(), false, &integrals_};
  write(results(), with(stored));
  const auto read = io::read_saved_orbitals(path("r.h5"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->digest, digest());
  EXPECT_FALSE(read->are_sites);
  EXPECT_EQ(read->frozen, std::vector<Index>{1});
  EXPECT_EQ(read->active, (std::vector<Index>{2, 65, 70}));
  ASSERT_EQ(read->one_electron.size(), 6U);
  ASSERT_EQ(read->two_electron.size(), 21U);
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q) {
      const Index pq = ci::pair_index(p, q);
      EXPECT_EQ(read->one_electron[pq], integrals_.one(ci::Spin::alpha, p, q));
      for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s)
          EXPECT_EQ(read->two_electron[ci::pair_index(pq, ci::pair_index(r, s))],
                    integrals_.two(ci::Spin::alpha, p, q, ci::Spin::alpha, r, s));
    }
}

TEST_F(SavedOrbitals, MayLackIntegralsOrBeAbsent) {
  const io::StoredOrbitals sites{{}, true, nullptr};
  write(results(), with(sites));
  const auto read = io::read_saved_orbitals(path("r.h5"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->are_sites && read->digest.empty() && read->one_electron.empty());
  write(results(), vectors(), true);
  EXPECT_FALSE(io::read_saved_orbitals(path("r.h5")));
}

TEST_F(SavedOrbitals, AreRefusedIfImpossible) {
  const auto refusal = [&] {
    try {
      io::read_saved_orbitals(path("r.h5"));
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  io::write_checkpoint(path("r.h5"), {.input = "a: b\n",
                                      .basis = vectors_.to(kHost),
                                      .layout = base::Layout::whole(vectors_.rows())});
  EXPECT_THAT(refusal(), HasSubstr("expected 'ci-solve results'"));
  const io::StoredOrbitals stored{digest(), false, &integrals_};
  const auto spoilt = [&](const char* name, const auto& value, hid_t type) {
    write(results(), with(stored), true);
    const hid_t file = H5Fopen(path("r.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()), 0);
    H5Dclose(set);
    H5Fclose(file);
    return refusal();
  };
  EXPECT_THAT(spoilt("orbitals/active", std::array<Index, 3>{2, 2, 70}, H5T_NATIVE_INT64),
              HasSubstr("do not ascend from 1"));
  EXPECT_THAT(spoilt("orbitals/active", std::array<Index, 3>{-2, 2, 70}, H5T_NATIVE_INT64),
              HasSubstr("do not ascend from 1"));
  EXPECT_THAT(spoilt("orbitals/active", std::array<Index, 3>{2, 3, 700}, H5T_NATIVE_INT64),
              HasSubstr("do not ascend from 1"));
  std::array<double, 6> one{};
  one[3] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(spoilt("orbitals/one_electron", one, H5T_NATIVE_DOUBLE), HasSubstr("not finite"));
  const ci::Integrals wider = ci::random_integrals({.orbitals = 4}, kHost);
  const io::StoredOrbitals other{digest(), false, &wider};
  write(results(), with(other), true);
  EXPECT_THAT(refusal(), HasSubstr("expected 6 and 21"));
}

}  // namespace
}  // namespace cisolve::test
