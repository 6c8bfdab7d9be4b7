#include "io/results/saved_vectors.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "base/error.hpp"
#include "io/results/checkpoint.hpp"
#include "tests/io/stored_results.hpp"

// Vectors of results, read for another job.
namespace cisolve::test {
namespace {

using testing::HasSubstr;

class SavedVectors : public ResultsTest {
 protected:
  void expect_refused(base::Fault fault, const std::string& reason) const {
    try {
      io::read_saved_vectors(path("r.h5"), kHost);
      FAIL() << "nothing was refused";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.fault(), fault);
      EXPECT_THAT(error.what(), HasSubstr(path("r.h5").string()));
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  }
};

TEST_F(SavedVectors, AreTheBitsThatWereWritten) {
  write(results(), vectors());
  const base::MultiVector read = io::read_saved_vectors(path("r.h5"), kHost);
  ASSERT_EQ(read.rows(), vectors_.rows());
  ASSERT_EQ(read.columns(), vectors_.columns());
  for (int j = 0; j < read.columns(); ++j)
    for (Index row = 0; row < read.rows(); ++row) EXPECT_EQ(read(row, j), vectors_(row, j));
}

TEST_F(SavedVectors, AreRefusedWhereTheyAreNotNumbers) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    vectors_(4, 1) = bad;
    write(results(), vectors(), true);
    expect_refused(base::Fault::bad_input, "a number of state 2 is not finite");
  }
}

TEST_F(SavedVectors, AreRefusedWhereThereAreNone) {
  expect_refused(base::Fault::no_input, "expected a readable file");
  write(results(), {std::nullopt, {}, &stored_});
  expect_refused(base::Fault::bad_input, "expected results of a job with 'output.vectors: true'");
  io::write_checkpoint(path("r.h5"), {.input = "a: b\n",
                                      .basis = vectors_.to(kHost),
                                      .layout = base::Layout::whole(vectors_.rows())});
  expect_refused(base::Fault::bad_input, "expected 'ci-solve results'");
}

}  // namespace
}  // namespace cisolve::test
