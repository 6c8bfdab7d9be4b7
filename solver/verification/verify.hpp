#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/small_matrix.hpp"
#include "solver/task/result.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

struct VerifyOptions {
  double tolerance = 1e-8;          // on the norm of each recomputed residual
  double orthogonality = 1e-10;     // on each element of X^T X - 1
  Index certify_limit = 1500;       // up to this many rows the eigenvalues below are counted
  bool search = false;              // above it, look for missed states with this operator
  bool lowest = true;               // else nothing is known of the eigenvalues between the energies
  std::optional<double> near = {};  // but that they are the nearest to this one
  double rounding = 0;              // what a solver knows of it; see rounding_of_energies()
  std::vector<Index> rows = {};     // ascending: where products with the states are to be told
};

struct VerifiedState {
  double rayleigh_quotient = 0;
  double residual = 0;        // |A x - energy x|
  double error_bound = 0;     // of the energy: counted where all eigenvalues are, else by residuals
  double error_estimate = 0;  // see error_estimates()
};

/// Where a second operator was asked for some rows alone, and the first one for all of them.
struct SampledRows {
  Index rows = 0;
  Index of_rows = 0;
  double largest_difference = 0;  // between the two, of any vector's product
  bool has_random = false;        // the vectors are the states and a random one
  double share_seen = 0;  // faults in a larger share of rows are met with a chance of 95 in 100
};

struct Verification {
  bool passed = false;
  std::string by = {};                // what the operator that verified calls itself
  std::vector<std::string> failures;  // what is wrong, one sentence each
  std::vector<VerifiedState> states;
  double max_residual = 0;
  double orthogonality = 0;  // the largest |X^T X - 1|
  double scale = 0;          // the largest energy or, where it is known, diagonal element
  base::SmallMatrix products = {0, 0};  // of the rows that were asked for, by states
  Completeness completeness = Completeness::not_checked;
  std::optional<SampledRows> sample = {};
  Beyond beyond = {};  // counted where all eigenvalues were

  /// Takes in what another check has found wrong, if anything.
  void fail(const std::vector<std::string>& reasons);
};

/// Recomputes what a result claims. The problem's matrix shares no storage with the one that was
/// solved, so that a fault in that storage shows. Nothing of the solvers' loops is used, but for
/// the search where it is asked for. All ranks of a problem call it together and find the same.
Verification verify(const Problem& problem, std::span<const double> energies, ConstColumns vectors,
                    const VerifyOptions& options);

/// The same for a result, with its completeness carried over where nothing stronger is found.
/// `vectors` are a copy of the result's in the memory of the problem's backend. Their layout must
/// be that of the problem.
Verification verify(const Problem& problem, const Result& result, ConstColumns vectors,
                    const VerifyOptions& options);

/// The same with the vectors as the result holds them.
Verification verify(const Problem& problem, const Result& result, const VerifyOptions& options);

}  // namespace cisolve::solver
