#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "python/core/arrays.hpp"
#include "solver/task/options.hpp"
#include "solver/task/result.hpp"

namespace cisolve::python {

/// Solver settings, as passed from Python.
struct SolverKeywords {
  int states = 1;
  double tolerance = 1e-8;  // bound of residuals
  int max_iterations = solver::Options{}.max_iterations;
  std::string search = "auto";
  int subspace = 0;  // vectors of the search space; 0: what suits
  base::Index dense_limit = solver::Options{}.dense_limit;
  int model_size = solver::Options{}.model_size;

  /// Throws ErrorKind::usage for invalid values.
  solver::Options options() const;
};

/// Results of a solution, for Python.
struct States {
  std::vector<double> energies = {};
  std::vector<double> residuals = {};
  std::vector<bool> converged = {};
  std::vector<double> s2 = {};
  NewArray vectors = {};
  nanobind::object shared_vectors = nanobind::none();  // instead of `vectors`
  int iterations = 0;
  base::Index products = 0;
  std::string completeness = {};
  std::string residual_trend = {};
  std::string advice = {};
  bool wants_iterations = false;

  /// Fills everything but vectors and spins.
  static States of(const solver::Result& result, double tolerance);
};

void bind_states(nanobind::module_& module);

}  // namespace cisolve::python
