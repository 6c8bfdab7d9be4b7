#include "solver/methods/solve.hpp"
#include "solver/search/search_below.hpp"
#include "solver/task/cut_multiplet.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/sanitizers.hpp"

// Products spent on searching missed states, and the resulting claims.
namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::Options;
using solver::SearchEffort;
using solver::SearchEnd;

class SearchBudget : public BackendTest {
 protected:
  /// Starts from the states, so that only a search takes products.
  solver::Result soon(const base::LinearOperator& a, const Options& options) const {
    Options bare = options;
    bare.search = SearchEffort::none;
    solver::Checkpoint start{solver::solve({a, backend}, bare).vectors,
                             base::Layout::whole(a.rows())};
    return solver::solve({a, backend}, options, nullptr, &start);
  }

  base::Backend backend = backend_under_test();
};

TEST_F(SearchBudget, TheLimitOfIterationsComesBeforeASearch) {
  const DenseOperator matrix(diagonally_dominant(400, 6, 0.2), backend);
  Options options = davidson_options(1);
  const auto whole = solver::solve({matrix, backend}, options);
  ASSERT_GT(whole.search_products, 0);
  options.max_iterations = whole.iterations;
  const auto limited = solver::solve({matrix, backend}, options);
  EXPECT_TRUE(limited.converged());
  EXPECT_EQ(limited.search_products, 0);
  EXPECT_EQ(limited.search, SearchEnd::unfinished);
  EXPECT_EQ(limited.completeness, Completeness::not_checked);
}

void expect_nothing_shown(const solver::Result& result, SearchEnd end) {
  EXPECT_TRUE(result.converged());
  EXPECT_GT(result.search_products, 0);
  EXPECT_EQ(result.search, end);
  EXPECT_FALSE(result.beyond.counted);
  EXPECT_EQ(result.completeness, Completeness::not_checked);
}

TEST_F(SearchBudget, ASearchThatRunsOutOfDirectionsProvesNothing) {
  // The diagonal does not help, so that the budget is far too small.
  const DenseOperator hard(with_eigenvalues(Eigen::VectorXd::LinSpaced(600, 0, 10), 1), backend);
  Options options = davidson_options(1);
  options.max_iterations = 2000;
  expect_nothing_shown(soon(hard, options), SearchEnd::out_of_products);
  class StopsTheSearch final : public solver::Observer {
   public:
    bool report(const solver::Progress& progress) override { return !progress.searching; }
  } stops;
  const DenseOperator easy(diagonally_dominant(300, 6, 0.2), backend);
  expect_nothing_shown(solver::solve({easy, backend}, options, &stops), SearchEnd::stopped);
}

TEST(SearchBudgetOfManyRows, IsAThirdOfTheSolutionIfProductsAreSlow) {
  const Options options;
  EXPECT_EQ(solver::search_product_budget(options, 10'000'000, 150, 0), 150);
  EXPECT_EQ(solver::search_product_budget(options, 240'374'016, 150, 0), 50);
  EXPECT_EQ(solver::search_product_budget(options, 240'374'016, 170, 20), 30);
  EXPECT_EQ(solver::search_product_budget(options, 240'374'016, 86, 0), 40)
      << "which few ends may take";
}

TEST(SearchBudgetOfManyRows, StopsEarlyIfItsProductsAreSlow) {
  Options options;
  EXPECT_TRUE(solver::may_end_early(options, 240'374'016));
  EXPECT_FALSE(solver::may_end_early(options, 853'776));
  options.search = SearchEffort::full;
  EXPECT_FALSE(solver::may_end_early(options, 240'374'016));
}

// A twin above the highest state keeps a search from ending, and a hidden block has another.
TEST_F(SearchBudget, AnAutomaticSearchKeepsItsBudget) {
  for (int seed = 1; seed <= unless_sanitized(6, 1); ++seed) {
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(600, 0, 10);
    values[3] = values[2];
    const Dense twin = with_eigenvalues(values, seed);
    Dense hidden = Dense::Constant(30, 30, -0.5) + diagonally_dominant(30, seed + 100, 0.01);
    hidden.diagonal().array() += 5;
    const Dense blocks = block_diagonal(diagonally_dominant(400, seed, 0.01), hidden);
    for (const Dense& a : {twin, blocks}) {
      const DenseOperator matrix(a, backend);
      Options options = davidson_options(3);
      options.max_iterations = 2000;
      const auto result = solver::solve({matrix, backend}, options);
      EXPECT_TRUE(result.converged());
      EXPECT_GT(result.search_products, 0);
      EXPECT_LE(result.search_products,
                std::max<Index>(120, result.products - result.search_products));
      options.search = SearchEffort::none;
      const auto bare = solver::solve({matrix, backend}, options);
      EXPECT_EQ(bare.search_products, 0);
      EXPECT_EQ(bare.search, SearchEnd::not_wanted);
      EXPECT_EQ(bare.completeness, Completeness::not_checked);
    }
  }
}

TEST_F(SearchBudget, AFoundPartnerIsKeptWhenTheBudgetEnds) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(400, 0, 10);
  values[3] = values[2];
  const DenseOperator cut(with_eigenvalues(values, 1), backend);
  Options options = davidson_options(3);
  options.max_iterations = 2000;
  const auto known = soon(cut, options);
  EXPECT_EQ(known.search, SearchEnd::out_of_products);
  EXPECT_EQ(known.completeness, Completeness::not_checked);
  EXPECT_EQ(known.beyond.states, 1);
  EXPECT_FALSE(known.beyond.counted);
  options.states = 4;
  options.search = SearchEffort::full;
  const auto whole = solver::solve({cut, backend}, options);
  EXPECT_EQ(whole.search, SearchEnd::excluded);
  EXPECT_EQ(whole.completeness, Completeness::searched);
  EXPECT_LT(whole.search_miss_probability, 1e-6);
  EXPECT_TRUE(whole.beyond.counted);
}

// A state just above the shift is hard to distinguish from one below.
TEST_F(SearchBudget, AnUndecidedSearchNamesTheBlockingNeighbour) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(600, 0, 10);
  Options options = davidson_options(3);
  values[3] = values[2] + 1.2 * solver::degeneracy_width(options.tolerance, 0);
  const DenseOperator near(with_eigenvalues(values, 1), backend);
  options.max_iterations = 2000;
  const auto undecided = soon(near, options);
  EXPECT_EQ(undecided.search, SearchEnd::shared);
  EXPECT_EQ(undecided.completeness, Completeness::not_checked);
  options.search = SearchEffort::full;
  const auto whole = solver::solve({near, backend}, options);
  EXPECT_EQ(whole.search, SearchEnd::excluded);
  EXPECT_EQ(whole.completeness, Completeness::searched);
  EXPECT_EQ(whole.beyond.states, 0);
}

}  // namespace
}  // namespace cisolve::test
