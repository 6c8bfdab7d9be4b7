#pragma once

#include <optional>

#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

enum class Reorthogonalisation {
  full,
  if_digits_are_lost,  // v in single precision: repeat only if digits are lost
};

/// Makes the first columns of w an orthonormal basis, orthogonal to the orthonormal columns of v,
/// of what w adds to them, and returns their number; drops directions that are rounding errors.
/// Block classical Gram-Schmidt with Cholesky QR, done twice, once if that removes next to nothing,
/// and again while a pass loses digits; if Cholesky fails, the eigenvectors of the Gram matrix
/// reveal the rank.
int orthogonalise(Vectors& vectors, ConstColumns v, Columns w,
                  Reorthogonalisation reorthogonalisation = Reorthogonalisation::full);

struct Projection {
  SmallMatrix overlap;          // V^T w
  double before = 0;            // |w|
  std::optional<double> after;  // |w - V V^T w|, if it follows from these
};

/// w = w - V (V^T w), for orthonormal columns of v and one of w.
Projection project_out(Vectors& vectors, ConstColumns v, Columns w);

}  // namespace cisolve::solver
