#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "solver/search/congruence_scaling.hpp"
#include "solver/search/exclusion_bound.hpp"

namespace cisolve::solver {

/// Outcome of a search below a shift on the complement of known states.
enum class SearchVerdict {
  excluded,   // nothing lies there, with an error probability below kMissProbability
  found,      // a state lies there
  undecided,  // limit of steps reached: a state may lie there, or just above
  far,        // the limit would be reached, as predicted long before
  ended,      // undecided: the recurrence ended in rounding errors
  stopped,    // the caller stopped the search
};

struct SearchRun {
  SearchVerdict verdict = SearchVerdict::undecided;
  int steps = 0;                // each step is one product
  double miss_probability = 1;  // probability that a state was missed; 1 if nothing was shown
  double lowest = 0;            // lowest Ritz value of the scaled operator
  double above = 0;             // estimated least distance of the next state from the shift
};

/// Results if no complement is left, and if no step was taken.
inline constexpr double kUnseen = std::numeric_limits<double>::infinity();
inline constexpr SearchRun kNothingOutside{SearchVerdict::excluded, 0, 0, kUnseen, kUnseen};
inline constexpr SearchRun kNoSteps{SearchVerdict::undecided, 0, 1, kUnseen, kUnseen};

/// Searches for eigenvalues of A below a shift that the states X do not account for; or, with (A -
/// shift)^2 - radius^2 in place of A - shift, for those within a radius of it.
/// By Sylvester's law of inertia W^-1 (A - shift) W^-T, on the complement of W^-1 X, has a negative
/// eigenvalue exactly if there is one, for any invertible W. With CongruenceScaling its spectrum is
/// compact, and Lanczos from a random vector resolves its lower end in few steps. Nothing is missed
/// once the weight that ExclusionBound leaves below zero is less than a random vector has on any
/// one direction, except with a probability of kMissProbability.
/// The pivots d_i of T = L D L^T show when T ceases to be positive definite. The directions p_i =
/// w_i - (beta_(i-1) / d_(i-1)) p_(i-1), the columns of the Lanczos vectors times L^-T, have the
/// quotients d_i: the direction of the negative pivot points below the shift, without a second run.
class MissedStates {
 public:
  static constexpr double kMissProbability = ExclusionBound::kMissProbability;

  static constexpr int kOwn = 4;             // columns kept between steps
  static constexpr int kColumns = kOwn + 2;  // columns in use during a step
  static constexpr int columns(bool around) { return around ? kColumns + 1 : kColumns; }

  /// `deflated`: the states, and images (A - shift) V of KnownUpperSpace; overwritten. `floor`: of
  /// the scaling. `workspace`: columns() single columns; all but the first kOwn are free between
  /// steps.
  MissedStates(Vectors& vectors, const SolverSetup& setup, SearchRegion region, double floor,
               Columns deflated, std::span<const Columns> workspace);

  /// Takes up to `most` steps from a random vector and calls `goes_on` after each. With `foresees`
  /// it ends early if the extrapolated number of steps far exceeds `most`.
  SearchRun run(MeteredOperator& matrix, std::uint64_t seed, int most,
                const std::function<bool()>& goes_on, bool foresees = false);

  // ---- step by step, below an energy, with products taken by the caller ----

  /// Returns false if the states leave no complement.
  bool begin(std::uint64_t seed);
  /// Writes the vector to be multiplied by A - shift into the last workspace column.
  void next_vector();
  /// Takes a step from the product, which the caller has written into the last but one workspace
  /// column; the last may be overwritten. Returns the result if that ends the search.
  std::optional<SearchRun> accept_image();
  /// The result if the limit of steps ends the search.
  std::optional<SearchRun> limit(int most, bool foresees) const;
  /// The result if the search ends now.
  SearchRun so_far(SearchVerdict verdict) const;

  /// y = the vector below the shift that the run has found.
  void point_to_found(Columns y) const;

  /// Repeats the steps and makes y = the lowest Ritz vector.
  void point_to_lowest(MeteredOperator& matrix, std::uint64_t seed, int steps, Columns y);

 private:
  int steps() const { return static_cast<int>(alpha_.size()); }
  std::optional<SearchRun> end_after_step(bool continues);
  bool step();
  void update_direction();
  EigenPairs tridiagonal_pairs(int steps) const;
  double project_step();
  void make_image();
  void multiply(MeteredOperator& matrix);

  Vectors& vectors_;
  SearchRegion region_;
  Columns current_;    // w_i
  Columns previous_;   // w_(i-1)
  Columns direction_;  // p_i
  CongruenceScaling scaling_;
  Columns next_;
  Columns image_;     // W^-T w_i
  Columns once_;      // (A - shift) W^-T w_i, if squared
  Columns deflated_;  // orthonormal basis of W^-1 times the excluded vectors
  std::vector<double> alpha_;
  std::vector<double> beta_;  // beta_i leads from w_i to w_(i+1)
  ExclusionBound exclusion_;
};

}  // namespace cisolve::solver
