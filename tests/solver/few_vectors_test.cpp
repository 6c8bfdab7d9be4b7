#include <vector>

#include "solver/methods/solve.hpp"
#include "solver/task/sizes.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// Cost of a search space with few vectors per state relative to one of unlimited size.
namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;

constexpr double kAllowed = 1.3;  // times the products

class FewVectors : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();

  solver::Result solve(const Dense& a, int states, int per_state) {
    const DenseOperator matrix(a, backend);
    Options options;
    options.states = states;
    options.per_state = per_state;
    options.dense_limit = 0;
    options.search = solver::SearchEffort::none;
    auto result = solver::solve({matrix, backend}, options);
    EXPECT_TRUE(result.converged());
    return result;
  }

  void expect_few_products(const Dense& a, int states, const std::vector<int>& sizes) {
    const auto usual = solve(a, states, 0);
    for (const int per_state : sizes) {
      SCOPED_TRACE(testing::Message() << states << " states, " << per_state << " a state");
      const auto bounded = solve(a, states, per_state);
      EXPECT_EQ(bounded.method, usual.method);
      EXPECT_LE(static_cast<double>(bounded.products),
                kAllowed * static_cast<double>(usual.products));
      for (int j = 0; j < states; ++j)
        EXPECT_NEAR(bounded.states[j].energy, usual.states[j].energy, 1e-10) << "state " << j;
    }
  }
};

TEST_F(FewVectors, OneStateTakesFewMoreProducts) {
  expect_few_products(diagonally_dominant(500, 1, 0.1), 1, {4});
  expect_few_products(diagonally_dominant(500, 3, 0.3), 1, {4});
}

TEST_F(FewVectors, SomeStatesTakeFewMoreProducts) {
  const Dense a = diagonally_dominant(500, 1, 0.1);
  expect_few_products(a, 2, {3, 4});
  expect_few_products(a, 4, {2, 3, 4});
}

/// If no rows dominate, Lanczos steps also use the memory of images.
TEST_F(FewVectors, StepsOfLanczosTakeFewMoreProducts) {
  const Dense a = random_symmetric(500, 1);
  expect_few_products(a, 4, {3, 4});
  expect_few_products(a, 10, {2});
}

TEST_F(FewVectors, TheDefaultNumberNeedsNoFurtherProducts) {
  for (const int states : {1, 2, 4, 10, 40}) {
    Options options;
    options.states = states;
    const auto usual = solver::choose_sizes(options, 100000, 100000);
    EXPECT_FALSE(usual.is_tight) << states;
    EXPECT_FALSE(solver::choose_sizes(options, 100000, usual.capacity).is_tight) << states;
    EXPECT_TRUE(solver::choose_sizes(options, 100000, states + Index{3}).is_tight) << states;
    options.near = 0.0;
    EXPECT_FALSE(solver::choose_sizes(options, 100000, states + Index{3}).is_tight) << states;
  }
}

}  // namespace
}  // namespace cisolve::test
