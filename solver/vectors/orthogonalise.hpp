#pragma once

#include <optional>

#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

enum class Care {
  full,
  of_lost_digits,  // beside vectors in single precision: once is enough but where digits are lost
};

/// Turns the first columns of w into an orthonormal basis, orthogonal to the orthonormal columns of
/// v, of what w adds to them, and returns how many these are; directions that are rounding errors
/// are dropped. Block classical Gram-Schmidt with Cholesky QR, done twice, once where that takes
/// next to nothing away, and again as long as a pass lost digits; where Cholesky fails, the
/// eigenvectors of the Gram matrix reveal the rank.
int orthogonalise(Vectors& vectors, ConstColumns v, Columns w, Care care = Care::full);

struct Taken {
  SmallMatrix overlap;          // V^T w
  double before = 0;            // the norm of w
  std::optional<double> after;  // where that follows from these
};

/// w = w - V (V^T w), for orthonormal columns of v and one of w.
Taken take_from(Vectors& vectors, ConstColumns v, Columns w);

}  // namespace cisolve::solver
