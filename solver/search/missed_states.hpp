#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "solver/search/evidence.hpp"
#include "solver/search/weights.hpp"

namespace cisolve::solver {

/// How a search below a shift, beside known states, ends.
enum class Verdict {
  excluded,   // nothing lies there, but for a chance of MissedStates::kDoubt
  found,      // something does
  undecided,  // the limit of steps came first: something may lie there, or just above
  far,        // the same, foreseen long before
  ended,      // in rounding errors, undecided
  stopped,    // by the caller
};

struct Search {
  Verdict verdict = Verdict::undecided;
  int steps = 0;      // each is a product
  double doubt = 1;   // the chance that something there has escaped; 1 where nothing was shown
  double lowest = 0;  // of the spectrum with the weights, as far as it is seen
  double above = 0;   // the energy: about so far, or farther, is the next state
};

/// Where the states are all that there is, and where there was no step.
inline constexpr double kUnseen = std::numeric_limits<double>::infinity();
inline constexpr Search kNothingBeside{Verdict::excluded, 0, 0, kUnseen, kUnseen};
inline constexpr Search kNothingSeen{Verdict::undecided, 0, 1, kUnseen, kUnseen};

/// Looks for eigenvalues of A below a shift that the states X do not account for; or, with
/// (A - shift)^2 - radius^2 in place of A - shift, for such as are nearer to it than a radius.
///
/// By Sylvester's law W^-1 (A - shift) W^-T, on the vectors orthogonal to W^-1 X, has a negative
/// eigenvalue exactly if there is one, whatever the weights W. With Weights its spectrum is
/// compact, and Lanczos from a random vector sees its lower end in few steps. Once the weight on
/// anything below zero that its Evidence leaves is less than random vectors have on any one
/// direction, but for a chance of kDoubt, there is nothing.
///
/// The pivots d_i of T = L D L^T say when T ceases to be positive definite. The columns of the
/// vectors times L^-T, p_i = w_i - (beta_(i-1) / d_(i-1)) p_(i-1), have the quotients d_i: the one
/// whose pivot is negative points below the shift, without a second run.
class MissedStates {
 public:
  static constexpr double kDoubt = Evidence::kDoubt;

  static constexpr int kOwn = 4;             // columns that it keeps
  static constexpr int kColumns = kOwn + 2;  // that it works in
  static constexpr int columns(bool around) { return around ? kColumns + 1 : kColumns; }

  /// `beside` are the states, and images (A - shift) V of others that are known to lie above; it is
  /// overwritten. `floor` is that of its weights. `room` are as many single columns as it works in;
  /// but for the first kOwn they are of no use between its steps.
  MissedStates(Vectors& vectors, const Preparation& preparation, Region region, double floor,
               Columns beside, std::span<const Columns> room);

  /// Takes up to `most` steps from a random vector, and asks after each whether to go on. With
  /// `foresees` it ends where these are far from enough, if the doubt falls as it fell last.
  Search run(MeteredOperator& matrix, std::uint64_t seed, int most,
             const std::function<bool()>& goes_on, bool foresees = false);

  // ---- the same step by step, below an energy, where products are made by others ----

  /// False where nothing is left beside the states.
  bool begin(std::uint64_t seed);
  /// Writes into the last of its columns what is to be multiplied by A - shift.
  void ask();
  /// The product is where it works in last but one, and what was asked for may be lost. The end,
  /// where that says it.
  std::optional<Search> take();
  /// The end, where it comes for want of steps.
  std::optional<Search> limit(int most, bool foresees) const;
  /// What is known when it ends before.
  Search so_far(Verdict verdict) const;

  /// Makes, in y, the vector below the shift that the run has found.
  void point_to_found(Columns y) const;

  /// Takes the same steps once more and makes, in y, the lowest vector that they lead to.
  void point_to_lowest(MeteredOperator& matrix, std::uint64_t seed, int steps, Columns y);

 private:
  int steps() const { return static_cast<int>(alpha_.size()); }
  std::optional<Search> end_after_step(bool continues);
  bool step();
  void turn_direction();
  EigenPairs tridiagonal_pairs(int steps) const;
  double project_step();
  void make_image();
  void multiply(MeteredOperator& matrix);

  Vectors& vectors_;
  Region region_;
  Columns current_;    // w_i
  Columns previous_;   // w_(i-1)
  Columns direction_;  // p_i
  Weights weights_;
  Columns next_;
  Columns image_;     // W^-T w_i
  Columns once_;      // (A - shift) W^-T w_i where it is squared
  Columns deflated_;  // an orthonormal basis of W^-1 times what it searches beside
  std::vector<double> alpha_;
  std::vector<double> beta_;  // beta_i leads from w_i to w_(i+1)
  Evidence evidence_;
};

}  // namespace cisolve::solver
