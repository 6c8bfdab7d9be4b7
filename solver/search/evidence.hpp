#pragma once

#include <vector>

namespace cisolve::solver {

/// What the tridiagonal matrix of a search below zero says after each step.
///
/// After j of them a random vector that it began with has a weight of at most 1 / sum_i<=j p_i(0)^2
/// on anything below zero, with the orthonormal polynomials p_i of the recurrence (the inequality
/// of Chebyshev, Markov and Stieltjes).
class Evidence {
 public:
  static constexpr double kDoubt = 1e-6;      // a smaller one is none
  static constexpr double kRounding = 1e-13;  // of the elements of the tridiagonal matrix

  explicit Evidence(double rows);

  /// beta_(i-1) / d_(i-1), which leads from one direction to the next.
  double factor() const { return pivot_ == 0 ? 0 : last_beta_ / pivot_; }

  /// alpha_i, and the beta_i that leads to the next step.
  void add(double alpha, double beta);

  bool found() const;
  /// The chance that a random vector has as little weight on something below zero as it must have.
  double doubt() const;
  bool excluded() const;
  /// Steps that it will have taken when the doubt is small enough, if it falls as it did in the
  /// second half of those so far.
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
  std::vector<double> doubts_;  // their logarithms, also where they are no chances yet
};

}  // namespace cisolve::solver
