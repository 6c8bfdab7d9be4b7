#pragma once

#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// W = V against + Q triangle, where W is the block as it was and Q what it became.
struct Orthogonalised {
  int kept = 0;          // columns of Q
  SmallMatrix against;   // columns of V x columns of W
  SmallMatrix triangle;  // kept x columns of W
};

enum class Care {
  full,
  of_lost_digits,  // beside vectors in single precision: once is enough but where digits are lost
};

/// Turns the first `kept` columns of w into an orthonormal basis Q, orthogonal to the orthonormal
/// columns of v, of what w adds to them; directions that are rounding errors are dropped. Block
/// classical Gram-Schmidt with Cholesky QR, done twice, once where that takes next to nothing away,
/// and again as long as a pass lost digits; where Cholesky fails, the eigenvectors of the Gram
/// matrix reveal the rank.
Orthogonalised orthogonalise(Vectors& vectors, ConstColumns v, Columns w, Care care = Care::full);

}  // namespace cisolve::solver
