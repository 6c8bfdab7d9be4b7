#include "job/products/remote_product.hpp"

#include <gtest/gtest.h>

#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/ranks/thread_ranks.hpp"

// Requests of rank 0 to a distributed product.
namespace cisolve::job {
namespace {

using base::Index;

const base::Backend kServing = base::Backend::openmp(1);
// Rows 0 to 6 on three ranks, the last of which has none.
const std::vector<base::Layout::Piece> kPieces = {{0, 0, 2}, {1, 2, 3}, {0, 5, 2}};

/// y = 3 x, but rank 1 fails if `fails` is set.
class Triples : public base::LinearOperator {
 public:
  Triples(const base::Communicator& ranks, Index rows) : ranks_(ranks), rows_(rows) {}
  Index rows() const override { return rows_; }
  void apply(base::ConstBlock x, base::Block y) const override {
    base::run_collectively(ranks_, [&] {
      if (fails && ranks_.rank() == 1) base::fail(base::ErrorKind::resources, "no room for it");
    });
    for (int j = 0; j < x.columns; ++j)
      for (Index i = 0; i < x.rows; ++i) y(i, j) = 3 * x(i, j);
  }
  bool diagonal(base::Block d) const override {
    for (Index i = 0; i < rows_; ++i) d(i, 0) = 3;
    return true;
  }
  bool fails = false;

 private:
  const base::Communicator& ranks_;
  Index rows_;
};

/// Triples with a projector, which subtracts `max_fraction` from all elements.
class ProjectedTriples final : public Triples, public base::SymmetryProjector {
 public:
  using Triples::Triples;
  double project_symmetry(double max_fraction, base::Block x) const override {
    for (int j = 0; j < x.columns; ++j)
      for (Index i = 0; i < x.rows; ++i) x(i, j) -= max_fraction;
    return max_fraction;
  }
};

base::MultiVector numbered(int columns) {
  base::MultiVector x(kServing, 7, columns);
  for (int j = 0; j < columns; ++j)
    for (Index i = 0; i < 7; ++i) x(i, j) = 10.0 * j + static_cast<double>(i + 1);
  return x;
}

/// Runs first(served) on rank 0 of three while the others serve; with `fails`, one of them runs out
/// of memory in products.
template <class Operator = Triples>
void with_workers(bool fails, const std::function<void(const RemoteProduct&)>& first,
                  RemoteProduct::Vectors lie = RemoteProduct::Vectors::on_backend_of_products) {
  const base::Layout layout = base::Layout::of_pieces(3, kPieces);
  base::run_as_ranks(3, [&](const base::Communicator& ranks) {
    Operator shared(ranks, layout.count(ranks.rank()));
    shared.fails = fails;
    const RemoteProduct others(ranks, layout, shared, kServing);
    const RemoteProduct served(ranks, layout, shared, kServing, lie);
    if (ranks.rank() > 0)
      return run_worker_loop(ranks, [&](const WorkerRequest& request) { others.execute(request); });
    first(served);
    broadcast_request(ranks, {WorkerCommand::end});
  });
}

TEST(RemoteProduct, GivesRank0WholeProductsOnHostAndDevice) {
  using Vectors = RemoteProduct::Vectors;
  const auto multiply = [](const RemoteProduct& served) {
    EXPECT_EQ(served.rows(), 7);
    for (const int columns : {1, 3}) {
      const base::MultiVector x = numbered(columns);
      base::MultiVector y(kServing, 7, columns);
      served.apply(x.block(), y.block());
      for (int j = 0; j < columns; ++j)
        for (Index i = 0; i < 7; ++i) EXPECT_EQ(y(i, j), 3 * x(i, j)) << i << ", " << j;
    }
  };
  for (const Vectors lie : {Vectors::on_backend_of_products, Vectors::on_host})
    with_workers(false, multiply, lie);
}

TEST(RemoteProduct, ForwardsThePropertiesOfTheDistributedOperator) {
  with_workers(false, [](const RemoteProduct& served) {
    base::MultiVector d(kServing, 7, 1);
    ASSERT_TRUE(served.diagonal(d.block()));
    for (Index i = 0; i < 7; ++i) EXPECT_EQ(d(i, 0), 3);
  });
}

TEST(RemoteProduct, ProjectsOntoTheSymmetryOfTheSharedProduct) {
  using Vectors = RemoteProduct::Vectors;
  const auto project = [](const RemoteProduct& served) {
    base::MultiVector x = numbered(2);
    EXPECT_EQ(served.project_symmetry(0.25, x.block()), 0.25);
    for (int j = 0; j < 2; ++j)
      for (Index i = 0; i < 7; ++i) EXPECT_EQ(x(i, j), numbered(2)(i, j) - 0.25);
  };
  for (const Vectors lie : {Vectors::on_backend_of_products, Vectors::on_host})
    with_workers<ProjectedTriples>(false, project, lie);
}

TEST(RemoteProduct, ProjectsNothingIfTheSharedProductHasNoProjector) {
  with_workers(false, [](const RemoteProduct& served) {
    base::MultiVector x = numbered(2);
    EXPECT_EQ(served.project_symmetry(1, x.block()), 0);
    for (int j = 0; j < 2; ++j)
      for (Index i = 0; i < 7; ++i) EXPECT_EQ(x(i, j), numbered(2)(i, j));
  });
}

TEST(RemoteProduct, ARankWithoutMemoryIsAnErrorOfRank0WhichContinues) {
  with_workers(true, [](const RemoteProduct& served) {
    const base::MultiVector x = numbered(1);
    base::MultiVector y(kServing, 7, 1);
    for (int again = 0; again < 2; ++again) try {
        served.apply(x.block(), y.block());
        ADD_FAILURE() << "there was room";
      } catch (const base::Error& error) {
        EXPECT_EQ(error.kind(), base::ErrorKind::resources);
      }
    base::MultiVector d(kServing, 7, 1);
    EXPECT_TRUE(served.diagonal(d.block()));
  });
}

}  // namespace
}  // namespace cisolve::job
