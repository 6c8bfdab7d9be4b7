#include <Eigen/Eigenvalues>
#include <cmath>
#include <optional>
#include <string>

#include "solver/basis/search_space.hpp"
#include "solver/methods/solve.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/solver/stops_at.hpp"
#include "tests/support/backend.hpp"

// A search space on the host, mostly in single precision, compared with one in double.
namespace cisolve::test {
namespace {

using solver::BasisStorage;
using solver::Options;

constexpr int kStagedRows = 600;

class Staged : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();

  static Options options_for(int states, BasisStorage basis_storage) {
    Options options = davidson_options(states);
    options.basis_storage = basis_storage;
    options.search = solver::SearchEffort::none;
    return options;
  }
};

class StagedSpace : public Staged {
 protected:
  DenseOperator a{diagonally_dominant(kStagedRows, 3), backend};
  solver::Problem problem{a, backend};
  solver::MeteredOperator matrix{problem};
  solver::Vectors vectors{backend, solver::kOneProcess, base::Layout::whole(kStagedRows), 12};
  solver::SearchSpace space{
      matrix,
      vectors,
      {.capacity = 8, .basis_storage = BasisStorage::staged, .exact = 2, .workspace_columns = 2}};

  void append_random(int count, std::uint64_t seed) {
    vectors.randomise(seed, space.free_basis(count));
    ASSERT_EQ(space.append(count), count);
  }
  /// Error of each Ritz vector's stored image, and its estimate.
  struct ImageError {
    double is = 0;
    double estimated = 0;
  };
  std::vector<ImageError> image_errors() {
    const auto ritz = space.ritz();
    base::MultiVector x(backend, kStagedRows, space.size());
    base::MultiVector y(backend, kStagedRows, space.size());
    vectors.update(1, space.basis(), ritz.vectors, 0, x);
    a.apply(x.block(), y.block());
    vectors.axpy(-space.shift(), x, y);
    vectors.update(-1, space.image(), ritz.vectors, 1, y);
    const std::vector<double> norms = vectors.norms(y);
    std::vector<ImageError> all;
    for (int j = 0; j < space.size(); ++j)
      all.push_back({norms[j], space.image_error(ritz.vectors, j)});
    return all;
  }
  /// Ritz values of the stored vectors.
  std::vector<double> exact_values() {
    base::MultiVector x(backend, kStagedRows, space.size());
    base::MultiVector y(backend, kStagedRows, space.size());
    vectors.update(1, space.basis(), space.ritz().vectors, 0, x);
    a.apply(x.block(), y.block());
    const auto h = vectors.gram(x.block(), y.block());
    std::vector<double> values;
    for (int j = 0; j < space.size(); ++j) values.push_back(h(j, j));
    return values;
  }
};

TEST_F(StagedSpace, RitzPairsEqualThoseOfTheStoredVectors) {
  append_random(2, 1);
  append_random(2, 2);
  append_random(1, 3);
  EXPECT_EQ(space.size(), 5);
  EXPECT_EQ(space.free_columns(), 2);
  const auto ritz = space.ritz();
  const auto exact = exact_values();
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(ritz.values[j], exact[j], 1e-11 * std::abs(exact[j]));
  base::MultiVector x(backend, kStagedRows, 5);
  vectors.update(1, space.basis(), ritz.vectors, 0, x);
  const auto identity = vectors.gram(x.block(), x.block());
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(identity(i, j), i == j ? 1 : 0, 1e-13);
}

TEST_F(StagedSpace, SelectedVectorsAreReadLikeAll) {
  append_random(2, 1);
  append_random(2, 2);
  base::MultiVector y(backend, kStagedRows, 2);
  vectors.randomise(7, y);
  const auto all = vectors.gram(space.basis(), y);
  const auto some = vectors.gram(space.basis().slice(1, 2), y);
  for (int b = 0; b < 2; ++b)
    for (int j = 0; j < 2; ++j) EXPECT_EQ(some(j, b), all(1 + j, b));
  solver::SmallMatrix c(2, 1);
  c(0, 0) = 2;
  c(1, 0) = -1;
  base::MultiVector sum(backend, kStagedRows, 1);
  vectors.update(1, space.basis().slice(1, 2), c, 0, sum);
  const auto products = vectors.gram(sum.block(), y.block());
  for (int b = 0; b < 2; ++b) EXPECT_NEAR(products(0, b), 2 * all(1, b) - all(2, b), 1e-12);
}

TEST_F(StagedSpace, EstimatesTheErrorOfImages) {
  append_random(2, 1);
  append_random(2, 2);
  append_random(2, 3);
  for (const ImageError& image_error : image_errors()) {
    EXPECT_GT(image_error.is, 0);
    EXPECT_LT(image_error.is, 2 * image_error.estimated);
    EXPECT_GT(image_error.is, image_error.estimated / 20);
  }
  for (int round = 0; round < 6; ++round) {
    space.collapse(solver::columns_of(space.ritz().vectors, 0, 4));
    append_random(2, 10 + round);
  }
  for (const ImageError& image_error : image_errors()) {
    EXPECT_LT(image_error.is, 3 * image_error.estimated);
    EXPECT_LT(image_error.estimated, 1e-4);  // for images with norms of a few hundred
  }
}

TEST_F(StagedSpace, AVectorInsideTheSpaceIsNoDirection) {
  append_random(2, 1);
  append_random(2, 2);
  solver::SmallMatrix c(4, 1);
  for (int i = 0; i < 4; ++i) c(i, 0) = 0.5 - i;
  vectors.update(1, space.basis(), c, 0, space.free_basis(1));
  EXPECT_EQ(space.append(1), 0);
  EXPECT_EQ(space.size(), 4);
}

TEST_F(StagedSpace, RecomputedImagesAreExact) {
  append_random(2, 1);
  append_random(2, 2);
  append_random(2, 3);
  space.collapse(solver::columns_of(space.ritz().vectors, 0, 5));
  const auto before = space.ritz();
  const Index products = matrix.products();
  space.recompute_images(0);
  space.recompute_images(1);
  EXPECT_EQ(matrix.products(), products + 2);
  const auto after = image_errors();
  for (int j = 0; j < 2; ++j) {
    EXPECT_LT(after[j].is, 1e-10);
    EXPECT_LT(after[j].estimated, 1e-8);
  }
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(space.ritz().values[j], before.values[j], 1e-6) << j;
}

TEST_F(Staged, FindsTheSameStatesWithFewMoreProducts) {
  for (const auto& [seed, coupling] : {std::pair{1, 0.1}, {3, 0.3}})
    for (const int states : {1, 3, 6}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << states << " states");
      const Dense dense = diagonally_dominant(kStagedRows, seed, coupling);
      const DenseOperator matrix(dense, backend);
      Options of_as_many = options_for(states, BasisStorage::full);
      of_as_many.max_subspace = states + std::max(2, states);
      const auto full = solver::solve({matrix, backend}, of_as_many);
      const auto staged =
          solver::solve({matrix, backend}, options_for(states, BasisStorage::staged));
      ASSERT_TRUE(full.converged());
      ASSERT_TRUE(staged.converged());
      for (int j = 0; j < states; ++j)
        EXPECT_NEAR(staged.states[j].energy, full.states[j].energy, 1e-12) << j;
      for (const double residual : residuals_of(dense, staged)) EXPECT_LT(residual, 1.1e-8);
      const base::MultiVector x = staged.vectors.to(base::Backend::reference());
      for (int j = 0; j < states; ++j)
        for (int i = 0; i <= j; ++i) {
          double overlap = 0;
          for (int row = 0; row < kStagedRows; ++row) overlap += x(row, i) * x(row, j);
          EXPECT_NEAR(overlap, i == j ? 1 : 0, states == 1 ? 1e-14 : 1e-12);
        }
      EXPECT_LE(static_cast<double>(staged.products), 1.2 * static_cast<double>(full.products));
    }
}

/// Images in single precision have a relative error of about 1e-7: smaller residuals need
/// recomputed images.
TEST_F(Staged, ReachesResidualsFarBelowSinglePrecision) {
  const Dense dense = diagonally_dominant(kStagedRows, 1, 0.1);
  const DenseOperator matrix(dense, backend);
  Options options = options_for(1, BasisStorage::staged);
  options.tolerance = 1e-10;
  const auto result = solver::solve({matrix, backend}, options);
  ASSERT_TRUE(result.converged());
  EXPECT_NEAR(result.states[0].energy, eigenvalues(dense)[0], 1e-11);
  for (const double residual : residuals_of(dense, result)) EXPECT_LT(residual, 2e-10);
}

/// One after the other, with one free column.
TEST_F(Staged, BeginsWithDifferentStarts) {
  const Dense dense = diagonally_dominant(kStagedRows, 1, 0.01);
  const ElementsOf elements(dense);
  const DenseOperator matrix(dense, backend);
  for (const bool with_model : {false, true}) {
    Options options = options_for(3, BasisStorage::staged);
    options.max_iterations = 0;
    const auto result = solver::solve(
        {.matrix = matrix, .backend = backend, .model_block = with_model ? &elements : nullptr},
        options);
    EXPECT_EQ(result.products, 3);
    const std::vector<double> exact = eigenvalues(dense);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(result.states[j].energy, exact[j], 0.02) << j;
  }
}

/// At any progress, reported energies are those of the vectors.
TEST_F(Staged, EnergiesEqualThoseOfTheirVectors) {
  const Dense dense = diagonally_dominant(kStagedRows, 3, 0.5);
  const DenseOperator matrix(dense, backend);
  for (const auto& [tolerance, iterations] :
       {std::pair{1e-2, 1000}, {1e-4, 1000}, {1e-6, 1000}, {1e-8, 7}, {1e-8, 15}}) {
    Options options = options_for(1, BasisStorage::staged);
    options.tolerance = tolerance;
    options.max_iterations = iterations;
    const auto result = solver::solve({matrix, backend}, options);
    EXPECT_EQ(result.converged(), iterations == 1000);
    const base::MultiVector home = result.vectors.to(base::Backend::reference());
    const Eigen::Map<const Eigen::VectorXd> x(home.block().data, kStagedRows);
    EXPECT_NEAR(result.states[0].energy, x.dot(dense * x), 1e-12) << tolerance << iterations;
    EXPECT_NEAR(result.states[0].residual, residuals_of(dense, result)[0],
                1e-3 * result.states[0].residual + 1e-11);
  }
}

/// Partners beyond the states are examined as well.
TEST_F(Staged, AMultipletThatIsCutEnds) {
  const Dense one = diagonally_dominant(kStagedRows / 3, 1, 0.3);
  const Dense dense = block_diagonal(block_diagonal(one, one), one);
  const DenseOperator matrix(dense, backend);
  const std::vector<double> exact = eigenvalues(dense);
  for (const int states : {1, 2, 4, 5}) {
    Options full = options_for(states, BasisStorage::full);
    full.max_subspace = states + std::max(2, states);
    full.search = solver::SearchEffort::automatic;
    Options staged = full;
    staged.max_subspace = 0;
    staged.basis_storage = BasisStorage::staged;
    staged.max_iterations = 400;
    const auto known = solver::solve({matrix, backend}, full);
    const auto result = solver::solve({matrix, backend}, staged);
    EXPECT_TRUE(result.converged()) << states;
    EXPECT_LT(result.products, 2 * known.products) << states;
    for (int j = 0; j < states; ++j) EXPECT_NEAR(result.states[j].energy, exact[j], 1e-10);
  }
}

/// The vectors are in any order, and more than there are states.
TEST_F(Staged, BeginsWithTheStartVectors) {
  const Dense dense = diagonally_dominant(kStagedRows, 1, 0.1);
  const DenseOperator matrix(dense, backend);
  const Eigen::SelfAdjointEigenSolver<Dense> exact(dense);
  Dense given(kStagedRows, 5);
  for (int j = 0; j < 5; ++j) given.col(j) = exact.eigenvectors().col(4 - j);
  for (const int states : {2, 4}) {
    const solver::Checkpoint start{
        on_backend(given, base::Backend::reference()), base::Layout::whole(kStagedRows), {}, 0, 0};
    const auto result = solver::solve({matrix, backend}, options_for(states, BasisStorage::staged),
                                      nullptr, &start);
    EXPECT_TRUE(result.converged()) << states;
    for (const double residual : residuals_of(dense, result)) EXPECT_LT(residual, 1.1e-8);
  }
}

TEST_F(Staged, GivesTheSameBitsEachTime) {
  const DenseOperator matrix(diagonally_dominant(kStagedRows, 5, 0.2), backend);
  const auto first = solver::solve({matrix, backend}, options_for(2, BasisStorage::staged));
  const auto again = solver::solve({matrix, backend}, options_for(2, BasisStorage::staged));
  ASSERT_EQ(first.products, again.products);
  for (int j = 0; j < 2; ++j) EXPECT_EQ(first.states[j].energy, again.states[j].energy);
}

TEST_F(Staged, ResumesAfterAStop) {
  const Dense dense = diagonally_dominant(kStagedRows, 1, 0.2);
  const DenseOperator matrix(dense, backend);
  const Options options = options_for(3, BasisStorage::staged);
  StopsAt killer(9);
  EXPECT_FALSE(solver::solve({matrix, backend}, options, &killer).converged());
  ASSERT_TRUE(killer.saved);
  const auto resumed = solver::solve({matrix, backend}, options, nullptr, &*killer.saved);
  ASSERT_TRUE(resumed.converged());
  const std::vector<double> exact = eigenvalues(dense);
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(resumed.history.front().energies[j], killer.saved->energies[j], 1e-6);
    EXPECT_NEAR(resumed.states[j].energy, exact[j], 1e-10);
  }
}

// If requested explicitly, the note says only that columns are fewer than useful.
TEST_F(Staged, ReportsIfFewerVectorsFitInMemory) {
  if (!backend.is_host()) GTEST_SKIP() << "the host's budget is enough to show it";
  constexpr int kMany = 3000;
  constexpr Index kVector = kMany * Index{sizeof(double)};
  const Dense a = diagonally_dominant(kMany, 7);
  Options options = options_for(4, BasisStorage::staged);
  options.max_iterations = 1;
  int said = 0;
  for (Index vectors = 12; vectors <= 40; vectors += 2) {
    const auto bounded = base::Backend::openmp(1, {.host_bytes = vectors * kVector});
    const DenseOperator matrix(a, bounded);
    std::string note;
    try {
      note = solver::solve({matrix, bounded}, options).note;
    } catch (const base::Error&) {
      EXPECT_EQ(said, 0) << vectors;
      continue;
    }
    if (note.empty()) {
      EXPECT_GT(said, 0) << vectors;
      return;
    }
    EXPECT_NE(note.find("vectors instead of 8"), std::string::npos) << note;
    ++said;
  }
  ADD_FAILURE() << "memory for 40 vectors is said to be too little";
}

TEST_F(Staged, SearchesForMissedStates) {
  const Dense dense = block_diagonal(diagonally_dominant(kStagedRows / 2, 1),
                                     diagonally_dominant(kStagedRows / 2, 7));
  const DenseOperator matrix(dense, backend);
  Options options = options_for(2, BasisStorage::staged);
  options.search = solver::SearchEffort::full;
  const auto result = solver::solve({matrix, backend}, options);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.search, solver::SearchEnd::excluded);
  const std::vector<double> exact = eigenvalues(dense);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(result.states[j].energy, exact[j], 1e-10);
}

}  // namespace
}  // namespace cisolve::test
