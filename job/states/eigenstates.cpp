#include "job/states/eigenstates.hpp"

#include <algorithm>

#include "job/problem/second_reading.hpp"
#include "job/states/spin_check.hpp"

namespace cisolve::job {

solver::Options solver_options(const Request& request) {
  const Request::Solver& solver = request.solver;
  solver::Options options;
  if (solver.method == "davidson") options.method = solver::Method::davidson;
  if (solver.method == "lanczos") options.method = solver::Method::lanczos;
  if (solver.method == "dense") options.method = solver::Method::dense;
  options.states = static_cast<int>(solver.states);
  options.tolerance = solver.tolerance;
  options.max_iterations = static_cast<int>(solver.max_iterations);
  if (solver.search == "none") options.search = solver::SearchEffort::none;
  if (solver.search == "full") options.search = solver::SearchEffort::full;
  if (solver.start == "model") options.start = solver::StartKind::model_space;
  if (solver.start == "random") options.start = solver::StartKind::random;
  options.model_size = static_cast<int>(solver.model_size);
  options.seed = static_cast<std::uint64_t>(solver.seed);
  return options;
}

solver::Verification verify_again(const Request& request, const SecondReading& second,
                                  const solver::Result& result, const Watch& watch) {
  solver::VerifyOptions options{.tolerance = request.solver.tolerance};
  if (!result.converged()) {
    for (const solver::State& state : result.states)
      options.tolerance = std::max(options.tolerance, state.residual);
    options.certify_limit = 0;
  }
  const base::Backend& backend = result.vectors.backend();
  const SpinCheck spin(request, second.molecule());
  const SecondOperator again = second.matrix(backend, watch);
  if (spin.is_wanted()) return spin.verify(*again.matrix, result, options);
  const solver::Problem problem{*again.matrix, again.backend};
  if (again.backend.kind() == backend.kind()) return solver::verify(problem, result, options);
  const base::MultiVector vectors = result.vectors.to(again.backend);
  return solver::verify(problem, result, vectors.block(), options);
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
