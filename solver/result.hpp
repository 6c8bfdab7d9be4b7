#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "solver/beyond.hpp"
#include "solver/options.hpp"

namespace cisolve::solver {

enum class Status {
  converged,
  not_converged,  // the limit of iterations came first
  limited,        // as small as the arithmetic allows, above the tolerance
  stopped,        // by the observer
};

enum class Completeness {
  not_checked,
  searched,   // a search from a random vector beside the states found no lower one
  certified,  // a dense solution, or a count of the eigenvalues below
};

struct State {
  double energy = 0;
  double residual = 0;     // |A x - energy x|
  double error_bound = 0;  // of the energy: the smaller of residual and residual^2 / gap
  Status status = Status::not_converged;
};

struct Iteration {
  int number = 0;
  int subspace = 0;
  Index products = 0;  // matrix-vector products so far
  bool searching = false;
  std::vector<double> energies;
  std::vector<double> residuals;  // as last computed
};

/// What a solver hands back. Not converging is a result.
struct Result {
  Method method = Method::automatic;
  std::vector<State> states = {};   // ascending
  base::MultiVector vectors;        // as many columns as states
  std::optional<double> next = {};  // the lowest value seen above the states
  Beyond beyond = {};
  Completeness completeness = Completeness::not_checked;
  int iterations = 0;
  int restarts = 0;
  Index products = 0;         // all of them
  Index search_products = 0;  // of these, to look for missed states
  Index model_products = 0;   // of these, to fill the model space
  double seconds = 0;
  double product_seconds = 0;
  std::vector<Iteration> history = {};
  std::string note = {};  // such as that more states were asked for than there are

  bool converged() const {
    for (const State& state : states)
      if (state.status != Status::converged) return false;
    return true;
  }
};

/// min(r, r^2 / gap) for each of ascending values; `next` is the lowest value above them.
std::vector<double> error_bounds(const std::vector<double>& values,
                                 const std::vector<double>& residuals, std::optional<double> next);

}  // namespace cisolve::solver
