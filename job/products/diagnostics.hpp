#pragma once

#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// How far apart two ways to the same element are, at the worst place; relative to one above 1.
struct Disagreement {
  double largest = 0;
  Index row = 0;
  Index column = 0;
};

/// What a sample of rows shows before a matrix is built.
struct Diagnostics {
  Index rows = 0;                  // that were looked at
  Index elements = 0;              // of these rows
  Disagreement transposed;         // |H_ij - H_ji|
  bool has_determinants = false;   // whether what follows was looked at
  Disagreement from_determinants;  // from the Slater-Condon rules, pair by pair
  Index zeros = 0;                 // pairs beside the elements, at random: they must be zero

  bool passed() const;
};

/// Takes `count` rows at random, the first and the last among them. Elements of at most `threshold`
/// may be missing. `molecule` is null where the rows come from no determinants.
Diagnostics diagnose(const sparse::RowSource& rows, const DeterminantProblem* molecule,
                     double threshold, Index count = 64);

}  // namespace cisolve::job
