#include "job/products/remote_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/ranks/thread_ranks.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "tests/support/hamiltonians.hpp"
#include "tests/support/vectors.hpp"

// Rows of the verification on rank 0, computed by all ranks.
namespace cisolve::job {
namespace {

using base::Index;
using ::testing::HasSubstr;

constexpr Index kHostBytes = Index{64} << 20;

/// 1,225 determinants with different lists of beta strings.
class RemoteRowsTest : public ::testing::Test {
 protected:
  std::unique_ptr<ci::OracleProduct> direct() const {
    return std::make_unique<ci::OracleOperator>(*h_.space, *h_.integrals);
  }
  Index rows() const { return h_.space->dimension(); }

  /// Runs first(served) on rank 0 of `size` ranks, the last of which has `bytes` bytes left.
  using First = std::function<void(const RemoteRows&)>;
  void with_workers(int size, Index bytes, const First& first) const {
    base::run_as_ranks(size, [&](const base::Communicator& ranks) {
      const auto host = base::Backend::openmp(1, {.host_bytes = kHostBytes});
      std::optional<base::Reservation> taken;
      const RemoteRows served(ranks, direct(), host);
      if (ranks.rank() == size - 1)
        taken.emplace(host.host_memory(), host.host_memory().left() - bytes, "a test");
      if (ranks.rank() > 0)
        return run_worker_loop(ranks,
                               [&](const WorkerRequest& request) { served.execute(request); });
      first(served);
      broadcast_request(ranks, {WorkerCommand::end});
    });
  }

  test::NamedHamiltonian h_ =
      test::named("CISD", test::random_integrals(8, false, 33, {}), test::excited({8, 4, 4}, 2));
};

TEST_F(RemoteRowsTest, HaveTheBitsOfOneProcess) {
  const base::MultiVector x = test::random_vectors(rows(), 9, 1);
  const auto alone = direct();
  base::MultiVector expected(x.backend(), rows(), 9);
  alone->apply(x.block(), expected.block());
  const Index vector = rows() * Index{sizeof(double)};
  for (const int size : {2, 3, 5})
    for (const Index bytes :
         {kHostBytes / 2, 3 * vector})  // the last rank holds one vector at a time
      with_workers(size, bytes, [&](const RemoteRows& served) {
        EXPECT_EQ(served.rows(), rows());
        for (const int columns : {1, 3, 9}) {
          base::MultiVector y(x.backend(), rows(), columns);
          served.apply(x.block(0, columns), y.block());
          for (int j = 0; j < columns; ++j)
            for (Index i = 0; i < rows(); ++i) ASSERT_EQ(y(i, j), expected(i, j)) << i << ", " << j;
        }
        base::MultiVector d(x.backend(), rows(), 2);
        ASSERT_TRUE(served.diagonal(d.block(0, 1)));
        ASSERT_TRUE(alone->diagonal(d.block(1, 1)));
        for (Index i = 0; i < rows(); ++i) ASSERT_EQ(d(i, 0), d(i, 1)) << i;
      });
}

TEST_F(RemoteRowsTest, SelectedRowsHaveTheBitsOfOneProcess) {
  const base::MultiVector x = test::random_vectors(rows(), 1, 1);
  const auto alone = direct();
  for (const std::vector<Index>& wanted :
       {std::vector<Index>{}, {rows() - 1}, {0, 1, 5, 77, rows() / 2, rows() - 2}}) {
    std::vector<double> expected(wanted.size());
    alone->multiply_rows(wanted, x.block().column(0), expected);
    with_workers(3, kHostBytes / 2, [&](const RemoteRows& served) {
      std::vector<double> found(wanted.size());
      served.multiply_rows(wanted, x.block().column(0), found);
      EXPECT_EQ(found, expected);
    });
  }
}

TEST_F(RemoteRowsTest, ARankWithoutMemoryIsAnErrorOfRank0WhichContinues) {
  with_workers(3, 100, [&](const RemoteRows& served) {
    const base::MultiVector x = test::random_vectors(rows(), 1, 1);
    base::MultiVector y(x.backend(), rows(), 1);
    for (int repeat = 0; repeat < 2; ++repeat) try {
        served.apply(x.block(), y.block());
        ADD_FAILURE() << "it has room";
      } catch (const base::Error& error) {
        EXPECT_EQ(error.kind(), base::ErrorKind::resources);
        EXPECT_THAT(error.what(), HasSubstr("rank 2: "));
      }
  });
}

}  // namespace
}  // namespace cisolve::job
