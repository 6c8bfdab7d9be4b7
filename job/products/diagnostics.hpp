#pragma once

#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// Largest difference between two computations of an element; relative to elements above 1.
struct Disagreement {
  double largest = 0;
  Index row = 0;
  Index column = 0;
};

/// Checks of a sample of rows before a matrix is built.
struct Diagnostics {
  Index rows = 0;                  // sampled
  Index elements = 0;              // elements in these rows
  Disagreement transposed;         // |H_ij - H_ji|
  bool has_determinants = false;   // whether the following was checked
  Disagreement from_determinants;  // compared with the Slater-Condon rules, pair by pair
  Index zeros = 0;                 // random pairs without an element: they must be zero

  bool passed() const;
};

/// Samples `count` rows at random, the first and the last among them. Elements of at most
/// `threshold` may be missing. `molecule` is null unless the rows are of determinants.
Diagnostics diagnose(const sparse::RowSource& rows, const DeterminantProblem* molecule,
                     double threshold, Index count = 64);

}  // namespace cisolve::job
