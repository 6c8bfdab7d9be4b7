#pragma once

#include <memory>
#include <optional>

#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/problem/site_problem.hpp"
#include "job/request/request.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// Verifies states of a requested spin: residuals in the space of all determinants or site states,
/// completeness among the functions of this spin (or below the shifted states of all others), and
/// <S^2> by an independent operator.
class SpinCheck {
 public:
  /// All must outlive it; `molecule` and `spins` may be null.
  SpinCheck(const Request& request, const DeterminantProblem* molecule,
            const SiteProblemRows* spins = nullptr);

  bool is_wanted() const { return twice_spin_.has_value(); }

  /// `second` is an operator of the Hamiltonian alone, on the backend of the vectors.
  solver::Verification verify(const base::LinearOperator& second, const solver::Result& result,
                              const solver::VerifyOptions& options) const;

 private:
  void count_functions(const base::LinearOperator& second, const solver::Result& result,
                       const solver::VerifyOptions& options, solver::Verification& found) const;
  void count_spins(const base::LinearOperator& second, const solver::Result& result,
                   const solver::VerifyOptions& options, solver::Verification& found) const;
  std::vector<double> spins_squared(const solver::Result& result) const;
  double spin_left_by_lift() const;
  void check_spins(const solver::Result& result, solver::Verification& found) const;

  const Request& request_;
  const DeterminantProblem* molecule_;
  const SiteProblem* spins_ = nullptr;
  std::optional<int> twice_spin_;
};

}  // namespace cisolve::job
