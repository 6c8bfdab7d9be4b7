#include "solver/task/checkpoint.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "solver/methods/solve.hpp"
#include "solver/task/snapshot.hpp"
#include "solver/vectors/vectors.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/solver/stops_at.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/sanitizers.hpp"

namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;

class Checkpoint : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();
  DenseOperator matrix{diagonally_dominant(500, 12, 0.25), backend};
  solver::Problem problem{matrix, backend};
  std::vector<double> exact = eigenvalues(matrix.matrix());
};

TEST_F(Checkpoint, ResumingAtAnyTimeGivesTheSameEnergies) {
  for (const Method method : {Method::davidson, Method::lanczos}) {
    Options options;
    options.method = method;
    options.states = 3;
    options.max_iterations = 400;
    options.search = solver::SearchEffort::full;
    const auto whole = solver::solve(problem, options);
    ASSERT_TRUE(whole.converged());
    const int stride = (method == Method::davidson ? 2 : 1) * unless_sanitized(1, 4);
    for (int stop = 0; stop < whole.iterations; stop += stride) {
      StopsAt killer(stop);
      const auto part = solver::solve(problem, options, &killer);
      ASSERT_TRUE(killer.saved.has_value());
      if (!part.converged()) {
        EXPECT_EQ(part.states.back().status, solver::Status::stopped);
      }
      const auto resumed = solver::solve(problem, options, nullptr, &*killer.saved);
      EXPECT_TRUE(resumed.converged());
      EXPECT_GE(resumed.products, killer.saved->products);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(resumed.states[j].energy, exact[j], 1e-10);
    }
  }
}

TEST_F(Checkpoint, CountsOfIterationsAndProductsContinue) {
  for (const Method method : {Method::davidson, Method::lanczos}) {
    Options options;
    options.method = method;
    options.states = 2;
    options.max_iterations = 400;
    StopsAt killer(3);
    solver::solve(problem, options, &killer);
    ASSERT_TRUE(killer.saved.has_value());
    EXPECT_EQ(killer.saved->iterations, 3);
    EXPECT_GT(killer.products, 0);
    EXPECT_EQ(killer.saved->products, killer.products);
    const auto resumed = solver::solve(problem, options, nullptr, &*killer.saved);
    ASSERT_TRUE(resumed.converged());
    EXPECT_EQ(resumed.history.front().number, 3);
    EXPECT_GT(resumed.iterations, 3);
    // Davidson recomputes products; Lanczos knows its couplings.
    const Index anew = method == Method::davidson ? killer.saved->basis.columns() : 0;
    EXPECT_EQ(resumed.history.front().products, killer.saved->products + anew);
    EXPECT_EQ(resumed.method, method);
    EXPECT_EQ(resumed.history.back().products, resumed.products);
  }
}

/// A checkpoint with the counters of many iterations.
solver::Checkpoint as_if_long_before(solver::Checkpoint saved) {
  saved.iterations += 100'000;
  saved.products += 1'000'000'000;
  return saved;
}

TEST_F(Checkpoint, TimesEqualThoseOfTheProductsTakenHere) {
  for (const Method method : {Method::davidson, Method::lanczos}) {
    SCOPED_TRACE(static_cast<int>(method));
    Options options;
    options.method = method;
    options.states = 2;
    options.max_iterations = 400;
    StopsAt killer(3);
    const auto part = solver::solve(problem, options, &killer);
    EXPECT_EQ(part.timed_products, part.products);
    ASSERT_TRUE(killer.saved.has_value());
    const auto start = as_if_long_before(std::move(*killer.saved));
    const auto resumed = solver::solve(problem, options, nullptr, &start);
    ASSERT_TRUE(resumed.converged());
    EXPECT_EQ(resumed.timed_products, resumed.products - start.products);
    EXPECT_GT(resumed.product_seconds, 0);
    EXPECT_DOUBLE_EQ(resumed.seconds_of_a_product(),
                     resumed.product_seconds / static_cast<double>(resumed.timed_products));
  }
}

// A dense solution ignores checkpoints.
TEST_F(Checkpoint, ADenseSolutionCountsOnlyItsOwnProducts) {
  Options options;
  options.method = Method::dense;
  StopsAt killer(3);
  solver::solve(problem, {.method = Method::davidson}, &killer);
  const auto start = as_if_long_before(std::move(*killer.saved));
  const auto found = solver::solve(problem, options, nullptr, &start);
  EXPECT_EQ(found.timed_products, found.products);
  EXPECT_EQ(found.products, 500);
}

TEST_F(Checkpoint, TheLimitOfIterationsRestarts) {
  for (const Method method : {Method::davidson, Method::lanczos}) {
    SCOPED_TRACE(static_cast<int>(method));
    Options options;
    options.method = method;
    options.states = 2;
    options.max_iterations = 400;
    const auto whole = solver::solve(problem, options);
    StopsAt killer(3);
    solver::solve(problem, options, &killer);
    ASSERT_TRUE(killer.saved.has_value());
    const auto start = as_if_long_before(std::move(*killer.saved));
    options.max_iterations = 5;
    const auto part = solver::solve(problem, options, nullptr, &start);
    EXPECT_FALSE(part.converged());
    EXPECT_EQ(part.iterations, start.iterations + 5);
    options.max_iterations = 400;
    const auto rest = solver::solve(problem, options, nullptr, &start);
    EXPECT_TRUE(rest.converged());
    EXPECT_LT(rest.iterations - start.iterations, 2 * whole.iterations);
  }
}

TEST_F(Checkpoint, ManyKillsInARowStillConverge) {
  Options options;
  options.method = Method::davidson;
  options.states = 2;
  std::optional<solver::Checkpoint> state;
  for (int stop = 4; stop < 400; stop += 4) {
    StopsAt killer(stop);
    const auto result = solver::solve(problem, options, &killer, state ? &*state : nullptr);
    if (!killer.saved) {
      EXPECT_TRUE(result.converged());
      for (int j = 0; j < 2; ++j) EXPECT_NEAR(result.states[j].energy, exact[j], 1e-10);
      return;
    }
    state.emplace(std::move(*killer.saved));
  }
  FAIL() << "never ended";
}

TEST_F(Checkpoint, ResumingNearTheEndCostsFewProducts) {
  Options options;
  options.method = Method::davidson;
  options.states = 2;
  options.search = solver::SearchEffort::none;
  const auto whole = solver::solve(problem, options);
  StopsAt killer(whole.iterations - 1);
  solver::solve(problem, options, &killer);
  const auto resumed = solver::solve(problem, options, nullptr, &*killer.saved);
  EXPECT_TRUE(resumed.converged());
  EXPECT_LE(resumed.products, whole.products + 10);
}

/// Keeps the checkpoint offered at the limit of iterations.
class LastCheckpointObserver final : public solver::Observer {
 public:
  bool report(const solver::Progress& progress) override {
    if (progress.last) saved.emplace(progress.state.checkpoint());
    return true;
  }
  std::optional<solver::Checkpoint> saved;
};

TEST_F(Checkpoint, TheLimitOfIterationsSavesACheckpointThatShortensTheRest) {
  for (const Method method : {Method::davidson, Method::lanczos})
    for (const int limit : {2, 4, 8}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(method) << ", limit " << limit);
      Options options;
      options.method = method;
      options.states = 2;
      options.max_iterations = 400;
      LastCheckpointObserver watcher;
      const auto whole = solver::solve(problem, options, &watcher);
      ASSERT_TRUE(whole.converged());
      EXPECT_FALSE(watcher.saved.has_value());
      options.max_iterations = limit;
      const auto part = solver::solve(problem, options, &watcher);
      ASSERT_FALSE(part.converged());
      ASSERT_TRUE(watcher.saved.has_value());
      options.max_iterations = 400;
      const auto rest = solver::solve(problem, options, nullptr, &*watcher.saved);
      EXPECT_TRUE(rest.converged());
      EXPECT_LT(rest.products - watcher.saved->products, whole.products);
      for (int j = 0; j < 2; ++j) EXPECT_NEAR(rest.states[j].energy, exact[j], 1e-10);
    }
}

TEST_F(Checkpoint, AStopInTheLastLanczosCycleIsNotForgotten) {
  Options options;
  options.method = Method::lanczos;
  options.max_iterations = 400;
  options.states = 2;
  const auto whole = solver::solve(problem, options);
  int cycles = 0;  // the last of them finds all states within the tolerance
  for (const auto& iteration : whole.history)
    if (iteration.subspace > options.states + 1 && !iteration.searching) cycles = iteration.number;
  StopsAt killer(cycles);
  const auto part = solver::solve(problem, options, &killer);
  ASSERT_TRUE(killer.saved.has_value());
  EXPECT_TRUE(part.converged());
  EXPECT_EQ(part.search_products, 0);
  EXPECT_EQ(part.search, solver::SearchEnd::stopped);
}

/// Receives the vectors of a state while no memory is left.
class KeepsStateWithoutMemory final : public solver::Observer {
 public:
  explicit KeepsStateWithoutMemory(const base::Backend& backend) : backend_(backend) {}
  bool report(const solver::Progress& progress) override {
    if (progress.iteration < 4) return true;
    const solver::Snapshot now = progress.state.snapshot();
    saved.emplace(now.checkpoint());
    const base::Reservation on_host(backend_.host_memory(), backend_.host_memory().left(), "all");
    now.gather_to_root([this](std::span<const double> some) {
      streamed.insert(streamed.end(), some.begin(), some.end());
    });
    return false;
  }
  std::optional<solver::Checkpoint> saved;
  std::vector<double> streamed;

 private:
  base::Backend backend_;
};

TEST_F(Checkpoint, VectorsAreStreamedWithoutExtraMemory) {
  for (const Method method : {Method::davidson, Method::lanczos}) {
    Options options;
    options.method = method;
    options.states = 3;
    KeepsStateWithoutMemory observer(backend);
    solver::solve(problem, options, &observer);
    ASSERT_TRUE(observer.saved);
    const base::MultiVector& whole = observer.saved->basis;
    ASSERT_EQ(std::ssize(observer.streamed), whole.rows() * whole.columns());
    for (int j = 0; j < whole.columns(); ++j)
      for (Index i = 0; i < whole.rows(); ++i)
        EXPECT_NEAR(observer.streamed[j * whole.rows() + i], whole(i, j), 1e-14);
  }
}

// Each element is summed as in a separate computation.
TEST_F(Checkpoint, VectorsAreFormedTogetherIfMemoryAllows) {
  constexpr int count = solver::Snapshot::kAtOnce + 3;
  solver::Vectors vectors(backend, solver::kOneProcess, base::Layout::whole(500), count);
  base::MultiVector basis = vectors.make(count + 2, "a basis");
  vectors.randomise(7, basis);
  base::SmallMatrix c(count + 2, count);
  for (int k = 0; k < std::ssize(c.values()); ++k) c.values()[k] = 0.1 * (k % 17) - 0.7;
  const solver::Snapshot now(vectors, basis, c, {}, 0, 0);
  now.gather_to_root(
      [](std::span<const double>) {});  // a device keeps what its first products allocate
  const auto streamed_within = [&](Index workspace) {
    const base::Reservation rest(backend.memory(), backend.memory().left() - workspace, "the rest");
    const Index before = backend.memory().used();
    Index held = 0;
    std::vector<double> streamed;
    now.gather_to_root([&](std::span<const double> some) {
      held = backend.memory().used() - before;
      streamed.insert(streamed.end(), some.begin(), some.end());
    });
    return std::pair(streamed, held);
  };
  constexpr Index vector = 500 * sizeof(double);
  const auto [alone, nothing] = streamed_within(2 * vector);
  EXPECT_EQ(nothing, 0);
  for (const int at_once : {2, 4, solver::Snapshot::kAtOnce}) {
    const auto [streamed, held] = streamed_within((at_once + 3) * vector);
    EXPECT_GE(held, at_once * vector);
    EXPECT_LT(held, (at_once + 1) * vector);
    EXPECT_EQ(streamed, alone);
  }
  const base::MultiVector whole = now.checkpoint().basis;
  ASSERT_EQ(std::ssize(alone), whole.rows() * whole.columns());
  for (int j = 0; j < whole.columns(); ++j)
    for (Index i = 0; i < whole.rows(); ++i)
      EXPECT_NEAR(alone[j * whole.rows() + i], whole(i, j), 1e-14);
}

TEST_F(Checkpoint, VectorsOfAnotherSpaceAreRefused) {
  const solver::Checkpoint wrong{base::MultiVector(backend, 499, 1), base::Layout::whole(499)};
  EXPECT_THROW(solver::solve(problem, Options{}, nullptr, &wrong), base::Error);
}

TEST_F(Checkpoint, ObserversSeeEveryIteration) {
  Options options;
  options.method = Method::davidson;
  StopsAt watcher(100000);
  const auto result = solver::solve(problem, options, &watcher);
  EXPECT_GE(watcher.calls, std::ssize(result.history));
  EXPECT_TRUE(result.converged());
}

}  // namespace
}  // namespace cisolve::test
