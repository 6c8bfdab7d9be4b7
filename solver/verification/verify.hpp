#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/small_matrix.hpp"
#include "solver/task/result.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

template <class T>
class BasicColumns;
using ConstColumns = BasicColumns<const double>;

struct VerifyOptions {
  double tolerance = 1e-8;       // bound of each recomputed residual's norm
  double orthogonality = 1e-10;  // bound of each element of X^T X - 1
  Index certify_limit = 1500;    // up to this many rows eigenvalues below are counted
  bool search = false;           // above certify_limit, search for missed states with this operator
  bool lowest = true;            // false: other eigenvalues may lie between the energies
  std::optional<double> near = {};  // set: the states nearest to this energy
  double rounding = 0;           // rounding error known to the solver; see rounding_of_energies()
  std::vector<Index> rows = {};  // ascending rows of Verification::products
};

struct VerifiedState {
  double rayleigh_quotient = 0;
  double residual = 0;  // |A x - energy x|
  /// Bound of the energy's error, by counting eigenvalues if possible, else by residuals.
  double error_bound = 0;
  double error_estimate = 0;  // see error_estimates()
};

/// Comparison in sampled rows: a second operator computed only these, the first one all rows.
struct SampledRows {
  Index rows = 0;
  Index of_rows = 0;
  double largest_difference = 0;  // largest difference of the two, over all products
  bool has_random = false;        // a random vector was multiplied as well
  double detectable_fraction =
      0;  // errors in a larger fraction of rows are detected with 95 % probability
};

struct Verification {
  bool passed = false;
  std::string by = {};                // name of the verifying operator
  std::vector<std::string> failures;  // one sentence each
  std::vector<VerifiedState> states;
  double max_residual = 0;
  double orthogonality = 0;             // the largest |X^T X - 1|
  double scale = 0;                     // largest |energy| or, if known, diagonal element
  base::SmallMatrix products = {0, 0};  // A x in VerifyOptions::rows, a column per state
  Completeness completeness = Completeness::not_checked;
  std::optional<SampledRows> sample = {};
  CutMultiplet beyond = {};  // exact if all eigenvalues were counted

  /// Adds failures found by another check, if any.
  void fail(const std::vector<std::string>& reasons);
};

/// Recomputes residuals, orthonormality and order of a result. The problem's matrix shares no
/// storage with the one that was solved, so that errors in that storage show. Independent of the
/// solvers' loops, except for an optional search. Collective; identical on all ranks.
Verification verify(const Problem& problem, std::span<const double> energies, ConstColumns vectors,
                    const VerifyOptions& options);

/// As above for a result, whose completeness is carried over unless a stronger one is found.
/// `vectors`: a copy of the result's on the problem's backend, in its layout.
Verification verify(const Problem& problem, const Result& result, ConstColumns vectors,
                    const VerifyOptions& options);

/// Verifies a result with its own vectors.
Verification verify(const Problem& problem, const Result& result, const VerifyOptions& options);

}  // namespace cisolve::solver
