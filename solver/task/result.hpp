#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"
#include "solver/task/options.hpp"

namespace cisolve::solver {

enum class Status {
  converged,
  not_converged,  // limit of iterations reached
  limited,        // residuals are at the rounding floor, above the tolerance
  stopped,        // the observer stopped the solve
};

enum class Completeness {
  not_checked,
  searched,   // a search from a random vector orthogonal to the states found none lower
  certified,  // dense solution, or count of the eigenvalues below
};

/// End of the search for missed states, with the reason if it did not exclude any.
enum class SearchEnd {
  not_wanted,
  not_lowest,       // the states are not the lowest
  unfinished,       // the search was not begun: states unconverged, or limit of iterations reached
  excluded,         // nothing lies there, with an error probability below kMissProbability
  out_of_products,  // budget of products spent
  out_of_reach,     // the same, predicted early, if there are many rows
  shared,           // the same, because a state is (nearly) degenerate with the highest one
  undecided,        // ended by rounding errors
  no_memory,
  stopped,         // the observer stopped the search
  too_many,        // too many searches in a row found a state
  crowded,         // more states share the energy of the highest one than can be excluded
  excluded_lower,  // the same, but nothing lies below an edge under that energy
};

struct State {
  double energy = 0;
  double residual = 0;        // |A x - energy x|
  double error_bound = 0;     // bound of the energy's error; see error_bounds()
  double error_estimate = 0;  // likely error; see error_estimates()
  Status status = Status::not_converged;
};

struct Iteration {
  int number = 0;
  int subspace = 0;
  Index products = 0;  // matrix-vector products so far
  bool searching = false;
  std::vector<double> energies;
  std::vector<double> residuals;  // last computed residuals
};

/// States above the requested ones that share the energy of the highest: if there are any, a
/// multiplet was cut.
struct CutMultiplet {
  int states = 0;        // number seen
  bool counted = false;  // whether all of them were counted
  double width = 0;      // energies that differ by no more count as degenerate
};

/// States selected by their weight in a target, not the lowest ones.
struct SelectedStates {
  std::vector<double> weights;  // weight of each in the target; empty if they were rotated
  double others = 0;            // total weight of all other states

  /// True if no other state can have a larger weight than any of these; weights are at most 1.
  bool is_certain() const {
    constexpr double kAlike = 1e-8;
    return !weights.empty() && *std::ranges::min_element(weights) >= std::min(others, 1.0) - kAlike;
  }
};

/// SelectedStates of these weights in a target of `dimensions` dimensions.
SelectedStates selected_states(std::vector<double> weights, int dimensions);

/// Result of a solver. Not converging is a result, not an error.
struct Result {
  Method method = Method::automatic;
  std::vector<State> states = {};  // ascending
  base::MultiVector vectors;       // one column per state
  base::Layout layout = {};        // layout of the vectors' rows
  /// Images (A - shift) V of KnownUpperSpace, for a search below the shift: the highest energy plus
  /// beyond.width.
  std::optional<base::MultiVector> above = {};
  std::optional<double> next = {};            // the lowest value seen above the states
  std::optional<SelectedStates> chosen = {};  // set if a target selects the states
  std::optional<double> near = {};            // the energy that the states are nearest to
  CutMultiplet beyond = {};
  Completeness completeness = Completeness::not_checked;
  SearchEnd search = SearchEnd::unfinished;
  std::optional<double> edge = {};     // set if the last search was of energies below this only
  double search_miss_probability = 1;  // probability that the last search missed a state
  double spread = 0;                   // spread of the final Ritz values
  double rounding = 0;                 // rounding error of an energy; see rounding_of_energies()
  int iterations = 0;
  int restarts = 0;
  Index products = 0;         // products of the whole solve
  Index search_products = 0;  // products of searches among them
  Index model_products = 0;   // products of the model space among them
  double seconds = 0;
  double product_seconds = 0;
  Index timed_products = 0;  // products timed by product_seconds: without those before resuming
  std::vector<Iteration> history = {};
  std::string note = {};  // remark, such as that fewer states exist than requested

  bool are_lowest() const { return !chosen && !near; }
  /// Mean time of a product in seconds; 0 without one.
  double seconds_of_a_product() const {
    return timed_products > 0 ? product_seconds / static_cast<double>(timed_products) : 0;
  }

  bool converged() const {
    for (const State& state : states)
      if (state.status != Status::converged) return false;
    return true;
  }
};

/// Gathers the vectors on rank 0: all rows, in canonical order, on their backend or, for lack of
/// memory, on the host; none on the other ranks. Collective.
void gather_whole_result(const base::Communicator& ranks, Result& result);

}  // namespace cisolve::solver
