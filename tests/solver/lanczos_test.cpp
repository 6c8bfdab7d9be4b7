#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "solver/methods/method_choice.hpp"
#include "solver/methods/solve.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;
using solver::SearchEffort;

class Lanczos : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();
};

TEST_F(Lanczos, IsChosenForManyStatesWithoutDominantRows) {
  const DenseOperator dominant(diagonally_dominant(600, 1), backend);
  const DenseOperator mixed(random_symmetric(600, 1), backend);
  for (const int states : {1, 2, 5}) {
    Options options;
    options.states = states;
    const auto easy = solver::solve({dominant, backend}, options);
    EXPECT_EQ(easy.method, Method::davidson);
    EXPECT_EQ(easy.note, "");
    const auto hard = solver::solve({mixed, backend}, options);
    EXPECT_EQ(hard.method, states > 1 ? Method::lanczos : Method::davidson);
    const std::string expected_note =
        "Lanczos is used because no rows dominate the " + std::to_string(states);
    EXPECT_EQ(hard.note.starts_with(expected_note), states > 1) << hard.note;
    const auto exact = eigenvalues(mixed.matrix());
    for (int j = 0; j < states; ++j) EXPECT_NEAR(hard.states[j].energy, exact[j], 1e-10);
    options.method = Method::davidson;
    EXPECT_EQ(solver::solve({mixed, backend}, options).method, Method::davidson);
  }
}

/// Model space vectors underestimate what is missing.
TEST_F(Lanczos, IsChosenIfTheModelSpaceHasLittleOfTheStates) {
  for (const double coupling : {0.4, 1.5}) {
    const Dense a = diagonally_dominant(600, 1, coupling);
    const DenseOperator matrix(a, backend);
    const ElementsOf elements(a);
    solver::Problem problem{matrix, backend};
    problem.model_block = &elements;
    Options options;
    options.states = 3;
    options.model_size = 40;
    options.search = SearchEffort::none;
    const auto found = solver::solve(problem, options);
    EXPECT_EQ(found.method, coupling > 1 ? Method::lanczos : Method::davidson);
    options.method = coupling > 1 ? Method::davidson : Method::lanczos;
    EXPECT_LT(found.products, solver::solve(problem, options).products);
  }
}

// For ten states Davidson needs twice the products if little of each is missing, in half the time
// if a block is read once for four; four times as many if much is missing.
TEST_F(Lanczos, IsChosenLaterIfVectorsOfABlockCostHalf) {
  for (const bool cheap : {false, true}) {
    EXPECT_FALSE(solver::exceeds_davidson_limit(0.05, 10, true, cheap));
    EXPECT_EQ(solver::exceeds_davidson_limit(0.18, 10, true, cheap), !cheap);
    EXPECT_TRUE(solver::exceeds_davidson_limit(0.25, 20, true, cheap));
    EXPECT_TRUE(solver::exceeds_davidson_limit(0.36, 4, true, cheap));
  }
}

/// Values at even distances, the two lowest of them equal.
Eigen::VectorXd with_a_pair(int rows) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(rows, 0, 10);
  values[1] = values[0];
  return values;
}

/// A second vector of the pair is in no Krylov space of the first; noise adds it.
TEST_F(Lanczos, FindsAPairAndKeepsUsefulVectorsAtRestarts) {
  const Eigen::VectorXd values = with_a_pair(400);
  const DenseOperator matrix(with_eigenvalues(values, 2), backend);
  Options options;
  options.method = Method::lanczos;
  options.states = 8;
  options.tolerance = 1e-5;
  options.max_subspace = 24;
  options.search = SearchEffort::none;
  const auto result = solver::solve({matrix, backend}, options);
  EXPECT_TRUE(result.converged());
  EXPECT_GT(result.restarts, 2);
  EXPECT_LT(result.products, 200);
  for (int j = 0; j < 8; ++j) EXPECT_NEAR(result.states[j].energy, values[j], 1e-7);
}

/// Lanczos uses the memory of Davidson's images for further vectors.
TEST_F(Lanczos, KeepsMoreVectorsInTheSameMemory) {
  const DenseOperator matrix(random_symmetric(600, 1), backend);
  for (const int columns : {0, 5, 9}) {
    Options options;
    options.states = 3;
    options.max_subspace = columns;
    options.search = SearchEffort::none;
    options.max_iterations = 100;
    int widest = 0;
    Index peaks[2] = {};
    for (const Method method : {Method::davidson, Method::lanczos}) {
      options.method = method;
      const base::Backend fresh = backend_under_test();
      const auto result = solver::solve({matrix, fresh}, options);
      peaks[method == Method::lanczos ? 1 : 0] = fresh.memory().peak();
      if (method == Method::lanczos)
        for (const auto& iteration : result.history) widest = std::max(widest, iteration.subspace);
    }
    EXPECT_GT(widest, columns == 0 ? 26 : columns);
    // Davidson, which takes over, has the states in addition to its basis.
    EXPECT_LE(peaks[1], peaks[0] + Index{3} * 600 * Index{sizeof(double)}) << columns;
  }
}

/// A search without the next value takes any value seen for a neighbour, and converges it as a
/// state before it searches again.
TEST_F(Lanczos, GivesASearchTheNextEigenvalue) {
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(600, 0, 10);
  const DenseOperator matrix(with_eigenvalues(values, 3), backend);
  Options options;
  options.method = Method::lanczos;
  options.states = 4;
  options.search = SearchEffort::full;
  const auto result = solver::solve({matrix, backend}, options);
  EXPECT_EQ(result.completeness, solver::Completeness::searched);
  ASSERT_TRUE(result.next.has_value());
  EXPECT_NEAR(*result.next, values[4], 1e-3);
  options.search = SearchEffort::none;
  const auto alone = solver::solve({matrix, backend}, options);
  EXPECT_EQ(result.products - result.search_products, alone.products + 1);
}

TEST_F(Lanczos, GivesASearchItsUpperRitzVectors) {
  const DenseOperator matrix(with_eigenvalues(Eigen::VectorXd::LinSpaced(600, 0, 10), 3), backend);
  Options options;
  options.method = Method::lanczos;
  options.states = 10;
  options.search = SearchEffort::full;
  const auto result = solver::solve({matrix, backend}, options);
  EXPECT_EQ(result.completeness, solver::Completeness::searched);
  // If only the states are excluded, the search takes more products.
  EXPECT_LT(3 * result.search_products, result.products);
}

/// Chain with ascending energies.
class Slope final : public base::LinearOperator {
 public:
  explicit Slope(Index rows) : rows_(rows) {}
  Index rows() const override { return rows_; }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j)
      for (Index i = 0; i < rows_; ++i)
        y(i, j) = 0.1 * static_cast<double>(i) * x(i, j) - (i > 0 ? x(i - 1, j) : 0) -
                  (i + 1 < rows_ ? x(i + 1, j) : 0);
  }

 private:
  Index rows_;
};

/// This holds for any memory that suffices for Davidson.
TEST_F(Lanczos, KeepsWithinTheBudget) {
  constexpr Index kRows = 100'000;
  const Slope matrix(kRows);
  for (const Index columns : {32, 40, 48, 64}) {
    const base::Backend host = base::Backend::openmp(2, {.host_bytes = columns * kRows * 8});
    Options options;
    options.method = Method::lanczos;
    options.states = 10;
    options.search = SearchEffort::none;
    options.max_iterations = 40;
    const auto result = solver::solve({matrix, host}, options);
    EXPECT_EQ(std::ssize(result.states), 10) << columns;
    EXPECT_GT(host.memory().peak(), columns * kRows * 4) << columns;
  }
}

/// Takes all memory that the search space leaves at the first product.
class MemoryTakingOperator final : public base::LinearOperator {
 public:
  MemoryTakingOperator(const Slope& matrix, const base::Backend& host)
      : matrix_(matrix), host_(host) {}
  Index rows() const override { return matrix_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    base::MemoryBudget& memory = host_.memory();
    if (!taken_) taken_.emplace(memory, memory.limit() / 5 - 100, "a product");
    matrix_.apply(x, y);
  }
  bool diagonal(base::Block d) const override {
    for (Index i = 0; i < d.rows; ++i) d(i, 0) = 0.1 * static_cast<double>(i);
    return true;
  }

 private:
  const Slope& matrix_;
  base::Backend host_;
  mutable std::optional<base::Reservation> taken_;
};

// Davidson continues from its vectors, which exist in addition to its own.
TEST_F(Lanczos, MoreMemoryNeverFails) {
  if (!backend.is_host()) GTEST_SKIP() << "the host's budget is enough to show it";
  constexpr Index kRows = 20'000;
  const Slope slope(kRows);
  for (const Method method : {Method::lanczos, Method::automatic})
    for (const int states : {1, 2, 4})
      for (const int guards : {0, 1}) {
        bool fits = false;
        for (int halves = 10; halves <= 80; ++halves) {
          SCOPED_TRACE(testing::Message() << states << " states and " << guards << " guards in "
                                          << halves << " halves of a vector");
          const auto host = base::Backend::openmp(1, {.host_bytes = halves * kRows * 4});
          const MemoryTakingOperator matrix(slope, host);
          Options options;
          options.method = method;
          options.states = states;
          options.guards = guards;
          options.max_iterations = states + guards + 1;
          try {
            solver::solve({matrix, host}, options);
            fits = true;
          } catch (const base::Error& error) {
            EXPECT_FALSE(fits) << error.what();
            EXPECT_NE(std::string(error.what()).find("and a direction needs "), std::string::npos)
                << error.what();
          }
        }
        EXPECT_TRUE(fits);
      }
}

// Otherwise Davidson would use as few columns as possible and waste others.
TEST_F(Lanczos, LeavesAllColumnsIfNotChosen) {
  Options options;
  options.states = 10;
  constexpr Index kLeft = 6;  // final Lanczos vectors, with images
  for (Index fitting = 12; fitting <= 40; ++fitting) {
    for (const auto& [method, search_columns] :
         {std::pair(Method::automatic, 8), {Method::lanczos, 2}}) {
      options.method = method;
      const bool is_left = fitting - kLeft >= options.states + search_columns;
      EXPECT_EQ(solver::leaves_for_lanczos(options, 0, fitting), is_left) << fitting;
      EXPECT_EQ(solver::columns_of_basis(options, 0, fitting), is_left ? fitting - kLeft : fitting);
    }
    options.method = Method::davidson;
    EXPECT_EQ(solver::columns_of_basis(options, 3, fitting), std::max<Index>(fitting - 3, 11));
  }
  options.states = 1;
  for (const Method method : {Method::automatic, Method::davidson}) {
    options.method = method;
    for (Index fitting = 2; fitting <= 40; ++fitting)
      EXPECT_EQ(solver::columns_of_basis(options, 0, fitting), fitting);
  }
}

// Lanczos is not used with a diagonal, so nothing need be reserved for its successor.
TEST_F(Lanczos, LeavesAllColumnsForOneStateWithADiagonal) {
  if (!backend.is_host()) GTEST_SKIP() << "the host budget is enough to show it";
  const int n = 2000;
  const Index vector = n * Index{sizeof(double)};
  const auto bounded = base::Backend::openmp(1, {.host_bytes = 20 * vector});
  const DenseOperator matrix(diagonally_dominant(n, 3), bounded);
  Options options = davidson_options(1);
  const auto asked_for = solver::solve({matrix, bounded}, options);
  EXPECT_NE(asked_for.note.find("the search space holds "), std::string::npos);
  options.method = Method::automatic;
  EXPECT_EQ(solver::solve({matrix, bounded}, options).note, asked_for.note);
}

// Rows distinguished by rounding alone do not guide start vectors.
TEST_F(Lanczos, IgnoresADiagonalOfRoundingErrors) {
  for (const int rows : {2, 30}) {
    Dense a = Dense::Constant(rows, rows, 2);
    a.diagonal().setOnes();
    a(0, 0) += std::numeric_limits<double>::epsilon();
    const DenseOperator matrix(a, backend);
    Options options;
    options.method = Method::lanczos;
    const auto found = solver::solve({matrix, backend}, options);
    EXPECT_TRUE(found.converged());
    EXPECT_NEAR(found.states[0].energy, -1, 1e-12);
  }
}

TEST_F(Lanczos, WorksInTheSmallestSearchSpaces) {
  const Dense a = diagonally_dominant(60, 3, 0.05);
  const DenseOperator matrix(a, backend);
  const double exact = eigenvalues(a).front();
  for (const int columns : {2, 3, 4}) {
    Options options = davidson_options(1);
    options.method = Method::lanczos;
    options.max_iterations = 4000;
    options.max_subspace = columns;
    options.search = SearchEffort::none;
    options.tolerance = 1e-6;
    const auto result = solver::solve({matrix, backend}, options);
    EXPECT_TRUE(result.converged()) << columns << " columns";
    EXPECT_NEAR(result.states[0].energy, exact, 1e-10);
    EXPECT_EQ(result.method, columns == 2 ? Method::davidson : Method::lanczos);
    EXPECT_EQ(result.note.find("too small for Lanczos") != std::string::npos, columns == 2);
  }
}

}  // namespace
}  // namespace cisolve::test
