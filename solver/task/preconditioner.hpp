#pragma once

#include <memory>

#include "solver/task/model_space.hpp"

namespace cisolve::solver {

/// An approximate inverse of A - theta.
class Preconditioner {
 public:
  Preconditioner() = default;
  Preconditioner(const Preconditioner&) = delete;
  Preconditioner& operator=(const Preconditioner&) = delete;
  virtual ~Preconditioner() = default;

  /// t_j = (M - shift_j)^-1 t_j
  virtual void apply(std::span<const double> shifts, Columns t) const = 0;
};

/// M - shift = 1
std::unique_ptr<Preconditioner> identity_preconditioner();

/// M = D, held as the one column of `diagonal`.
std::unique_ptr<Preconditioner> diagonal_preconditioner(const Vectors& vectors,
                                                        ConstColumns diagonal);

/// M = D, except for the exact block on the model space.
std::unique_ptr<Preconditioner> model_preconditioner(const Vectors& vectors, ConstColumns diagonal,
                                                     const ModelSpace& model);

/// Smallest denominator: nearer to a pole, one element would outweigh all others.
inline constexpr double kSmallestDenominator = 1e-3;

}  // namespace cisolve::solver
