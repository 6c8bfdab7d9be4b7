#include "python/core/states.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/config/suggest.hpp"
#include "app/report/residual_trend.hpp"
#include "app/report/states.hpp"
#include "base/error.hpp"
#include "job/request/choices.hpp"

namespace cisolve::python {

namespace nb = nanobind;

solver::Options SolverKeywords::options() const {
  solver::Options options;
  options.states = states;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.max_subspace = subspace;
  options.dense_limit = dense_limit;
  options.model_size = model_size;
  const auto effort = job::choice_named<solver::SearchEffort>(search);
  if (!effort)
    base::fail(base::ErrorKind::usage, "search is '", search, "'; expected ",
               app::alternatives(job::words_of<solver::SearchEffort>()));
  options.search = *effort;
  if (states < 1) base::fail(base::ErrorKind::usage, states, " states; expected at least one");
  if (!(tolerance > 0))
    base::fail(base::ErrorKind::usage, "the tolerance is ", tolerance,
               "; expected a number above 0");
  if (max_iterations < 1 || subspace < 0)
    base::fail(base::ErrorKind::usage, "max_iterations is ", max_iterations, " and subspace is ",
               subspace, "; expected at least 1 and at least 0");
  return options;
}

States States::of(const solver::Result& result, double tolerance) {
  States all;
  for (const solver::State& state : result.states) {
    all.energies.push_back(state.energy);
    all.residuals.push_back(state.residual);
    all.converged.push_back(state.status == solver::Status::converged);
  }
  all.iterations = result.iterations;
  all.products = result.products;
  all.completeness = app::name_of(result.completeness);
  if (app::wants_iterations(result)) all.residual_trend = app::residual_trend(result, tolerance);
  all.advice = app::advice_on_tolerance(result);
  all.wants_iterations = app::wants_iterations(result);
  return all;
}

void bind_states(nb::module_& module) {
  nb::class_<States>(module, "States", "The lowest states.")
      .def_ro("energies", &States::energies)
      .def_ro("residuals", &States::residuals)
      .def_ro("converged", &States::converged)
      .def_ro("s2", &States::s2, "<S^2> of each state; empty if unknown.")
      .def_prop_ro(
          "vectors", [](const States& all) { return all.vectors; }, nb::rv_policy::automatic,
          "For full CI an array of shape (states, alphas, betas); for other operators (rows, "
          "states).")
      .def_ro("shared_vectors", &States::shared_vectors,
              "The same vectors in device memory, for DLPack libraries; else None.")
      .def_ro("iterations", &States::iterations)
      .def_ro("products", &States::products)
      .def_ro("completeness", &States::completeness)
      .def_ro("residual_trend", &States::residual_trend,
              "The trend of the residuals if states have not converged.")
      .def_ro("advice", &States::advice, "Advice if rounding errors limit the residuals.")
      .def_ro("wants_iterations", &States::wants_iterations, "Whether more iterations may help.");
}

}  // namespace cisolve::python
