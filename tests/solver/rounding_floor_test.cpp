#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdlib>

#include "base/random.hpp"
#include "solver/methods/solve.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/sanitizers.hpp"

// If a tolerance is below the rounding error of a residual, a solution ends as `limited` within a
// few hundred iterations, and no energy lies below the exact one by more than epsilon |A|.
namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;
using solver::Result;
using solver::Status;

constexpr int kMostIterations = 500;

/// A diagonal that rises so slowly that restarts are many.
Dense slowly_rising(int n, std::uint64_t seed) {
  base::RandomStream random(seed);
  const double slope = seed % 2 == 0 ? 0.001 : 0.01;
  Dense a = Dense::Zero(n, n);
  for (int i = 0; i < n; ++i) a(i, i) = slope * i * (1 + 0.2 * random.uniform());
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 5; ++k)
      if (const auto j = static_cast<int>(random.uniform() * n); j != i)
        a(i, j) = a(j, i) = 0.3 * (2 * random.uniform() - 1);
  return a;
}

/// A matrix with its eigenvalues, whose errors are small beside epsilon |A|.
struct Solved {
  Dense matrix;
  std::vector<double> exact;
  double norm;
};

/// The matrix plus a shift. Its exact eigenvalues are found after subtracting the shift from the
/// rounded elements, which is exact.
Solved shifted(Dense a, double shift) {
  a.diagonal().array() += shift;
  Dense back = a;
  back.diagonal().array() -= shift;
  std::vector<double> exact = eigenvalues(back);
  for (double& value : exact) value += shift;
  return {std::move(a), exact, std::max(std::abs(exact.front()), std::abs(exact.back()))};
}

Solved solved_exactly(Dense a) {
  using Exact = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::SelfAdjointEigenSolver<Exact> solver(a.cast<long double>(), Eigen::EigenvaluesOnly);
  const auto& values = solver.eigenvalues();
  const auto norm = std::max(std::abs(values[0]), std::abs(values[values.size() - 1]));
  return {std::move(a), {values.begin(), values.end()}, static_cast<double>(norm)};
}

class RoundingFloor : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();

  static Options options_of(Method method, double tolerance = 1e-8) {
    Options options;
    options.method = method;
    options.states = 3;
    options.tolerance = tolerance;
    return options;
  }

  void expect_end(const Solved& problem, const Options& options) {
    SCOPED_TRACE(testing::Message() << (options.method == Method::lanczos ? "Lanczos" : "Davidson")
                                    << ", tolerance " << options.tolerance);
    const DenseOperator matrix(problem.matrix, backend);
    const Result result = solver::solve({matrix, backend}, options);
    EXPECT_LE(result.iterations, kMostIterations);
    const std::vector<double> residuals = residuals_of(problem.matrix, result);
    for (int j = 0; j < options.states; ++j) {
      const auto& [energy, residual, bound, estimate, status] = result.states[j];
      EXPECT_EQ(status, residual <= options.tolerance ? Status::converged : Status::limited);
      EXPECT_LE(residual, std::max(result.rounding, options.tolerance));
      EXPECT_NEAR(residual, residuals[j], result.rounding);
      EXPECT_GE(energy, problem.exact[j] - 1.5 * kEpsilon * problem.norm);  // both are rounded
      EXPECT_LE(std::abs(energy - problem.exact[j]), bound);
    }
  }
};

/// Number of shifts of each sign; CISOLVE_TEST_SHIFTS asks for more.
int shifts_to_try() {
  const char* wanted = std::getenv("CISOLVE_TEST_SHIFTS");
  return wanted == nullptr ? unless_sanitized(20, 3) : std::atoi(wanted);
}

TEST_F(RoundingFloor, ShiftedMatricesEndThere) {
  const int shifts = shifts_to_try();
  base::RandomStream random(5);
  for (int i = 0; i < shifts; ++i)
    for (const double sign : {1, -1}) {
      const double shift = sign * std::pow(10, 6 + 3 * (i + random.uniform()) / shifts);
      SCOPED_TRACE(testing::Message() << "shift " << shift);
      const Solved problem = shifted(slowly_rising(250, i), shift);
      expect_end(problem, options_of(Method::davidson));
      expect_end(problem, options_of(Method::lanczos));
    }
}

TEST_F(RoundingFloor, TolerancesBelowItEndThere) {
  for (const double size : {1.0, 1e7}) {
    const Solved problem = solved_exactly(size * slowly_rising(250, 2));
    for (const double tolerance : {1e-15, 1e-300})
      for (const Method method : {Method::davidson, Method::lanczos})
        expect_end(problem, options_of(method, tolerance * size));
  }
  const Solved problem = solved_exactly(1e5 * random_symmetric(250, 3));
  for (const double tolerance : {1e-13, 1e-30})
    expect_end(problem, options_of(Method::davidson, tolerance));
}

// Quotients by such small elements overflow.
TEST_F(RoundingFloor, StartVectorsAreFiniteForTinyElements) {
  for (const double size : {1e-140, 1e-160, 1e-300}) {
    SCOPED_TRACE(testing::Message() << "elements of " << size);
    const Solved problem = solved_exactly(size * slowly_rising(250, 2));
    const DenseOperator matrix(problem.matrix, backend);
    for (const Method method : {Method::davidson, Method::lanczos}) {
      const Result result = solver::solve({matrix, backend}, options_of(method));
      for (int j = 0; j < 3; ++j) {
        const auto& state = result.states[j];
        EXPECT_EQ(state.status, Status::converged);
        EXPECT_GE(state.energy, problem.exact[j] - 1.5 * kEpsilon * problem.norm);
        EXPECT_LE(std::abs(state.energy - problem.exact[j]), state.error_bound);
      }
    }
  }
}

/// A product with cancelling terms, whose rounding error no known bound covers.
class CancellingOperator final : public DenseOperator {
 public:
  CancellingOperator(const Dense& a, const base::Backend& backend)
      : DenseOperator(a, backend), large_(kLarge * Dense::Ones(a.rows(), a.rows()) + a, backend) {}
  void apply(base::ConstBlock x, base::Block y) const override {
    large_.apply(x, y);
    for (int j = 0; j < x.columns; ++j) {
      const Eigen::Map<const Eigen::VectorXd> from(x.column(j), x.rows);
      Eigen::Map<Eigen::VectorXd> to(y.column(j), x.rows);
      to.array() -= kLarge * from.sum();
    }
  }

 private:
  static constexpr double kLarge = 1e8;
  DenseOperator large_;
};

TEST_F(RoundingFloor, ProductsWhoseTermsCancelEndThere) {
  if (!backend.is_host()) GTEST_SKIP() << "the products of the host are enough to show it";
  const CancellingOperator matrix(slowly_rising(250, 2), backend);
  for (const Method method : {Method::davidson, Method::lanczos})
    for (const double tolerance : {1e-8, 1e-13}) {
      const Result result = solver::solve({matrix, backend}, options_of(method, tolerance));
      EXPECT_LE(result.iterations, 2 * kMostIterations);
      for (const auto& state : result.states) {
        EXPECT_EQ(state.status, Status::limited);
        EXPECT_LE(state.residual, 1e-4);
      }
    }
}

}  // namespace
}  // namespace cisolve::test
