#include "solver/basis/search_space.hpp"

#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

class SearchSpace : public BackendTest {
 protected:
  static constexpr int kRows = 90;
  base::Backend backend = backend_under_test();
  DenseOperator a{diagonally_dominant(kRows, 3), backend};
  solver::Problem problem{a, backend};
  solver::MeteredOperator matrix{problem};
  solver::Vectors vectors{backend, solver::kOneProcess, base::Layout::whole(kRows), 12};
  solver::SearchSpace space{matrix, vectors, {.capacity = 12}};

  int append_random(int count, std::uint64_t seed) {
    vectors.randomise(seed, space.free_basis(count));
    return space.append(count);
  }
  /// V^T V = 1, A V is the image, and H has the eigenvalues of V^T A V.
  void expect_consistent() {
    base::MultiVector v = vectors.make(space.size(), "a copy of the basis");
    vectors.copy(space.basis(), v);
    base::MultiVector image(backend, kRows, v.columns());
    a.apply(v.block(), image.block());
    const auto identity = vectors.gram(v.block(), v.block());
    for (int j = 0; j < v.columns(); ++j)
      for (int i = 0; i < v.columns(); ++i) EXPECT_NEAR(identity(i, j), i == j ? 1 : 0, 1e-13);
    const std::vector<double> minus(v.columns(), -1.0);
    const auto direct = solver::symmetric_eigen(vectors.gram(v.block(), image.block()));
    vectors.axpy(minus, space.image(), image);
    for (const double norm : vectors.norms(image.block())) EXPECT_LT(norm, 1e-12);
    const auto ritz = space.ritz();
    for (int j = 0; j < v.columns(); ++j) EXPECT_NEAR(ritz.values[j], direct.values[j], 1e-12);
  }
};

TEST_F(SearchSpace, AppendsKeepTheInvariants) {
  EXPECT_EQ(append_random(3, 1), 3);
  EXPECT_EQ(append_random(2, 2), 2);
  EXPECT_EQ(append_random(1, 3), 1);
  EXPECT_EQ(space.size(), 6);
  EXPECT_EQ(space.free_columns(), 6);
  EXPECT_EQ(matrix.products(), 6);
  expect_consistent();
}

TEST_F(SearchSpace, AppendsOnlyWhatIsNew) {
  append_random(3, 1);
  vectors.copy(space.basis().slice(1, 1), space.free_basis(1));
  EXPECT_EQ(space.append(1), 0);
  EXPECT_EQ(space.size(), 3);
  EXPECT_EQ(matrix.products(), 3);
}

TEST_F(SearchSpace, CollapseKeepsTheRitzPairs) {
  append_random(8, 4);
  const auto before = space.ritz();
  space.collapse(solver::columns_of(before.vectors, 0, 3));
  EXPECT_EQ(space.size(), 3);
  expect_consistent();
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(space.ritz().values[j], before.values[j], 1e-13);
  append_random(2, 5);
  expect_consistent();
}

TEST_F(SearchSpace, RitzValuesBoundTheEigenvaluesFromAbove) {
  append_random(10, 6);
  const auto exact = eigenvalues(a.matrix());
  const auto ritz = space.ritz();
  for (int j = 0; j < 10; ++j) EXPECT_GE(ritz.values[j], exact[j] - 1e-12);
}

TEST_F(SearchSpace, RefusesProductsThatAreNotNumbers) {
  a.matrix()(5, 6) = std::nan("");
  EXPECT_THROW(append_random(1, 7), base::Error);
}

TEST(ExtendedBy, AddsOnlyIndependentDirections) {
  solver::SmallMatrix kept(4, 1);
  kept(0, 0) = 1;
  solver::SmallMatrix extra(4, 3);
  extra(0, 0) = 3;  // the kept one again
  extra(0, 1) = extra(2, 1) = 1;
  extra(2, 2) = extra(3, 2) = 1e-3;
  const auto all = solver::extended_by(kept, extra);
  ASSERT_EQ(all.columns(), 3);
  const auto g = solver::transposed_product(all, all);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(g(i, j), i == j ? 1 : 0, 1e-15);
  EXPECT_NEAR(std::abs(all(2, 1)), 1, 1e-15);
}

}  // namespace
}  // namespace cisolve::test
