#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"
#include "solver/task/beyond.hpp"
#include "solver/task/options.hpp"

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

/// How the search for missed states ended and, unless it showed that there are none, why.
enum class SearchEnd {
  not_wanted,
  not_lowest,       // nothing is missed below states that were chosen otherwise
  unfinished,       // not begun: the states were not found, or the limit of iterations had come
  excluded,         // nothing lies there, but for a chance of MissedStates::kDoubt
  out_of_products,  // the limit of its products came first
  out_of_reach,     // the same, foreseen long before, where rows are many
  shared,           // the same, since a state shares the energy of the highest one, or nearly so
  undecided,        // rounding errors came first
  no_memory,
  stopped,         // by the observer
  too_many,        // one search after the other found a state
  crowded,         // more states share the energy of the highest one than can be set aside
  excluded_lower,  // the same, but nothing lies below an edge under that energy
};

struct State {
  double energy = 0;
  double residual = 0;        // |A x - energy x|
  double error_bound = 0;     // of the energy; see error_bounds()
  double error_estimate = 0;  // what the error is likely to be; see error_estimates()
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

/// Of states that were chosen, not the lowest ones.
struct Chosen {
  std::vector<double> weights;  // of each in what was to be followed; none where they were rotated
  double others = 0;            // what all other states have of it together

  /// No other state can have a larger weight than any of these; none has more than 1.
  bool is_certain() const {
    constexpr double kAlike = 1e-8;
    return !weights.empty() && *std::ranges::min_element(weights) >= std::min(others, 1.0) - kAlike;
  }
};

/// Of states with these weights in a target of so many dimensions.
Chosen chosen_states(std::vector<double> weights, int dimensions);

/// What a solver hands back. Not converging is a result.
struct Result {
  Method method = Method::automatic;
  std::vector<State> states = {};  // ascending
  base::MultiVector vectors;       // as many columns as states
  base::Layout layout = {};        // of their rows
  /// Images (A - shift) V of what is seen near above the states, where a search will look up to the
  /// shift, the highest energy and beyond.width; see KnownAbove.
  std::optional<base::MultiVector> above = {};
  std::optional<double> next = {};    // the lowest value seen above the states
  std::optional<Chosen> chosen = {};  // of states that are followed
  std::optional<double> near = {};    // the energy that the states are nearest to
  Beyond beyond = {};
  Completeness completeness = Completeness::not_checked;
  SearchEnd search = SearchEnd::unfinished;
  std::optional<double> edge = {};  // below which alone the last search looked
  double search_doubt = 1;          // the chance that a missed state has escaped the last search
  double spread = 0;                // of the Ritz values in the end
  double rounding = 0;  // what arithmetic may lose in an energy; see rounding_of_energies()
  int iterations = 0;
  int restarts = 0;
  Index products = 0;         // all of them
  Index search_products = 0;  // of these, to look for missed states
  Index model_products = 0;   // of these, to fill the model space
  double seconds = 0;
  double product_seconds = 0;
  Index timed_products = 0;  // that took these seconds: without those of a run that is resumed
  std::vector<Iteration> history = {};
  std::string note = {};  // such as that more states were asked for than there are

  bool are_lowest() const { return !chosen && !near; }
  /// The mean; 0 without a product.
  double seconds_of_a_product() const {
    return timed_products > 0 ? product_seconds / static_cast<double>(timed_products) : 0;
  }

  bool converged() const {
    for (const State& state : states)
      if (state.status != Status::converged) return false;
    return true;
  }
};

/// Brings the vectors of many ranks to rank 0: all rows, in canonical order, in the memory where
/// they lie, or the host's where there is no room; on the other ranks none. All ranks call it
/// together.
void bring_whole(const base::Communicator& ranks, Result& result);

}  // namespace cisolve::solver
