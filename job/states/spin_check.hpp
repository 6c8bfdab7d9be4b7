#pragma once

#include <memory>
#include <optional>

#include "ci/states/csf_basis.hpp"
#include "job/problem/molecule.hpp"
#include "job/request/request.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// Verifies states of a spin that was asked for: residuals among all determinants, completeness
/// among the functions of this spin, and <S^2> through an operator that knows nothing of these.
class SpinCheck {
 public:
  /// `molecule`, null where a matrix is all there is, must outlive it.
  SpinCheck(const Request& request, const Molecule* molecule);

  bool is_wanted() const { return basis_ != nullptr; }

  /// `second` is an operator of the Hamiltonian alone, on the backend of the vectors.
  solver::Verification verify(const base::LinearOperator& second, const solver::Result& result,
                              const solver::VerifyOptions& options) const;

 private:
  void count_states(const base::LinearOperator& second, const solver::Result& result,
                    const solver::VerifyOptions& options, solver::Verification& found) const;
  void check_spins(const solver::Result& result, solver::Verification& found) const;

  const Molecule* molecule_;
  std::unique_ptr<const ci::CsfBasis> basis_;
};

}  // namespace cisolve::job
