#pragma once

#include <vector>

namespace cisolve::solver {

/// Bounds the chance that an operator has a negative eigenvalue, from its Lanczos matrix T.
/// After j steps the start vector has a weight of at most 1 / sum_(i<=j) p_i(0)^2 on the negative
/// spectrum, with the orthonormal polynomials p_i of the recurrence (Chebyshev-Markov-Stieltjes
/// inequality).
class ExclusionBound {
 public:
  static constexpr double kMissProbability =
      1e-6;                                   // probability at which a state counts as excluded
  static constexpr double kRounding = 1e-13;  // relative, of the elements of T

  explicit ExclusionBound(double rows);

  /// beta_(i-1) / d_(i-1), for the recurrence of the directions.
  double factor() const { return pivot_ == 0 ? 0 : last_beta_ / pivot_; }

  /// Adds a step: alpha_i, and beta_i of the next step.
  void add(double alpha, double beta);

  bool found() const;
  /// Probability that a random vector has as little weight on a negative eigenvector as the bound
  /// allows.
  double miss_probability() const;
  bool excluded() const;
  /// Predicted total of steps until exclusion, extrapolated from the second half of the steps so
  /// far.
  double steps_foreseen() const;

 private:
  double spread_;
  double size_ = 0;
  double pivot_ = 0;
  bool definite_ = true;
  double last_beta_ = 0;
  double p_before_ = 0;
  double p_ = 1;
  double sum_ = 1;
  std::vector<double>
      log_probabilities_;  // logarithms; above 0 while the bound is no probability yet
};

}  // namespace cisolve::solver
