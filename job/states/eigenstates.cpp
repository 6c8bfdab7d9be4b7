#include "job/states/eigenstates.hpp"

#include <algorithm>
#include <future>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/openmp/background.hpp"
#include "base/random.hpp"
#include "job/plan/demand.hpp"
#include "job/problem/independent_problem.hpp"
#include "job/states/row_sample.hpp"
#include "job/states/spin_check.hpp"
#include "solver/vectors/columns.hpp"

namespace cisolve::job {

solver::Options solver_options(const Request& request) {
  const Request::Solver& solver = request.solver;
  solver::Options options;
  options.method = solver.method;
  options.states = static_cast<int>(solver.states);
  options.tolerance = solver.tolerance;
  options.near = solver.near;
  options.basis_storage = solver.basis;
  options.max_iterations = static_cast<int>(solver.max_iterations);
  options.search = solver.search;
  options.start = solver.start;
  if (solver.model_size) options.model_size = static_cast<int>(*solver.model_size);
  options.seed = static_cast<std::uint64_t>(solver.seed);
  return options;
}

namespace {

solver::VerifyOptions options_for(const Request& request, const solver::Result& result) {
  solver::VerifyOptions options{.tolerance = request.solver.tolerance};
  if (result.converged()) return options;
  for (const solver::State& state : result.states)
    options.tolerance = std::max(options.tolerance, state.residual);
  options.certify_limit = 0;
  return options;
}

/// Verifies by an operator on the backend of the result's vectors.
solver::Verification verify_by(const base::LinearOperator& h, const SpinCheck& spin,
                               const solver::Result& result, const solver::VerifyOptions& options) {
  if (spin.is_wanted()) return spin.verify(h, result, options);
  return solver::verify({h, result.vectors.backend()}, result, options);
}

}  // namespace

solver::Verification verify_again(const Request& request, const IndependentProblem& second,
                                  const SecondOperator& again, const solver::Result& result) {
  const solver::VerifyOptions options = options_for(request, result);
  const SpinCheck spin(request, second.determinants(), second.sites());
  if (again.backend.kind() == result.vectors.backend().kind())
    return verify_by(*again.matrix, spin, result, options);
  const base::MultiVector vectors = result.vectors.to(again.backend);
  return solver::verify({*again.matrix, again.backend}, result, vectors.block(), options);
}

solver::Verification verify_sample(const Request& request, const IndependentProblem& second,
                                   const ReadAgain& again, const solver::Result& result,
                                   const base::MultiVector& states,
                                   const base::LinearOperator& first) {
  solver::VerifyOptions options = options_for(request, result);
  options.certify_limit = 0;  // inertia would count the eigenvalues of the first operator
  const std::optional<std::uint64_t> random =
      result.search_products > 0
          ? std::optional(base::mix(static_cast<std::uint64_t>(request.solver.seed), 1))
          : std::nullopt;
  const base::Backend& backend = result.vectors.backend();
  // The host chooses rows and computes them while a device multiplies.
  std::promise<RowSample> at_first;
  const std::shared_future<RowSample> sample = at_first.get_future().share();
  const auto by_second = [&] {
    const auto direct = again();
    return std::pair(direct->description().format,
                     second_products(sample.get(), *direct, states, random));
  };
  const bool runs_concurrently = !backend.is_host() && states.backend().is_host();
  auto second_path = runs_concurrently ? base::run_in_background(backend.host(), by_second)
                                       : std::async(std::launch::deferred, by_second);
  std::promise<RowSample> sampled =
      std::move(at_first);  // destroyed before second_path, which waits for it
  const auto choose_rows = [&]() -> const std::vector<Index>& {
    if (options.rows.empty()) {
      sampled.set_value(RowSample::of(states, static_cast<std::uint64_t>(request.solver.seed)));
      options.rows = sample.get().rows;
    }
    return options.rows;
  };
  std::vector<double> ours;
  if (random) ours = random_products(choose_rows, first, backend, *random);
  choose_rows();
  solver::Verification found =
      verify_by(first, SpinCheck(request, second.determinants()), result, options);
  SecondProducts theirs;
  std::tie(found.by, theirs) = second_path.get();
  compare_sample(sample.get(), ours, theirs, result.vectors.rows(), found);
  return found;
}

void take_verified(const solver::Verification& verification, const std::vector<bool>& marked,
                   solver::Result& result) {
  for (std::size_t j = 0; j < result.states.size(); ++j) {
    solver::State& state = result.states[j];
    if (marked[j]) state.residual = verification.states[j].residual;
    state.error_bound = verification.states[j].error_bound;
    state.error_estimate = verification.states[j].error_estimate;
  }
}

}  // namespace cisolve::job
