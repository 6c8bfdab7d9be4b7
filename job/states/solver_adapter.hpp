#pragma once

#include <memory>
#include <optional>

#include "base/operator.hpp"
#include "ci/hamiltonian/csf/csf_transform.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/request/request.hpp"
#include "job/states/distribution.hpp"
#include "job/states/model_elements.hpp"
#include "job/states/spin_states.hpp"
#include "solver/methods/solve.hpp"

namespace cisolve::job {

/// Where functions of one spin become determinants and back: where the vectors of a product lie, or
/// on the host, which takes nothing of a device but time.
enum class SpinsOn { backend, host };

/// What the solver sees of a stored Hamiltonian: determinants in canonical order, whatever the
/// partition puts first, or, with space.spin, the functions of one spin alone. Nothing is added to
/// the Hamiltonian, so energies are its own and states of another spin do not exist. Of spins on
/// sites, which have no such functions, states of another spin are lifted instead.
class SolverAdapter {
 public:
  /// `molecule` and `spins` are null where there are none, and else outlive the solution. Throws
  /// ErrorKind::configuration where a spin is asked for and cannot be had.
  SolverAdapter(const Request& request, const DeterminantProblem* molecule,
                const SiteProblemRows* spins = nullptr);

  /// Null where all spins are wanted, or the spins are those of sites.
  const ci::CsfBasis* basis() const { return basis_.get(); }
  /// Whether the solution asks the spins that it is one of for more than their matrix.
  bool asks_spins() const { return spins_.has_value(); }

  /// How the vectors that the solver sees are shared out.
  base::Layout layout(const Distribution& among) const;

  /// The states as vectors over the determinants, in the backend's memory; with a spin in the
  /// host's where it changes them, or where the backend has no room for them beside the matrix.
  /// Checkpoints hold what the solver sees.
  solver::Result solve(const base::LinearOperator& matrix, RowsIn order,
                       const base::Backend& backend, const solver::Options& options,
                       solver::Observer* observer = nullptr,
                       const solver::Checkpoint* start = nullptr, SpinsOn spins = SpinsOn::backend,
                       const Distribution& among = {}) const;

 private:
  struct Call {
    const base::Backend& backend;
    solver::Options options;
    solver::Observer* observer;
    const solver::Checkpoint* start;
    SpinsOn spins;
    const Distribution& among;
  };
  solver::Result solve_in_order(const base::LinearOperator& matrix, const Call& call) const;
  std::unique_ptr<ci::CsfTransform> change_of(const Call& call) const;
  solver::Result solve_one_spin(const base::LinearOperator& matrix, const Call& call) const;
  solver::Result solve_one_spin_together(const base::LinearOperator& matrix,
                                         const Call& call) const;
  static base::MultiVector own_rows(const Call& call, int states);

  std::shared_ptr<const ci::Partition> partition_;  // null: the canonical order
  std::unique_ptr<const ci::CsfBasis> basis_;
  std::optional<SpinStates> spins_;
  std::optional<ModelElements> elements_;  // of the determinants
  base::Array<double> diagonal_;           // of the functions
  double scale_ = 0;                       // of the terms of spins, which may cancel in a sector
};

/// The functions of the spin that a request asks for; null where it asks for any.
std::unique_ptr<const ci::CsfBasis> chosen_spin(const Request& request,
                                                const DeterminantProblem& molecule);

}  // namespace cisolve::job
