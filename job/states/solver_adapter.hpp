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

/// Backend that transforms vectors between spin functions and determinants: that of the product, or
/// the host, which costs a device nothing but time.
enum class SpinsOn { backend, host };

/// The solver's view of a stored Hamiltonian: determinants in canonical order, whatever the
/// partition, or, with space.spin, configuration state functions of that spin. Nothing is added to
/// the Hamiltonian, so energies are its own and states of other spins do not exist. Site states
/// have no such functions: states of other spins are shifted up instead.
class SolverAdapter {
 public:
  /// `molecule` and `spins` may be null, else must outlive the solution. Throws
  /// ErrorKind::configuration if the requested spin is impossible.
  SolverAdapter(const Request& request, const DeterminantProblem* molecule,
                const SiteProblemRows* spins = nullptr);

  /// Null if any spin is wanted, and for site states.
  const ci::CsfBasis* basis() const { return basis_.get(); }
  /// Whether the solution uses the site problem for more than its matrix.
  bool asks_spins() const { return spins_.has_value(); }

  /// Distribution of the vectors that the solver sees.
  base::Layout layout(const Distribution& among) const;

  /// Returns the states over the determinants, in the backend's memory; with a spin in host memory
  /// if the host transforms them, or if the backend cannot hold them and the matrix. Checkpoints
  /// hold the vectors that the solver sees.
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
  std::optional<ModelElements> elements_;  // elements between determinants
  base::Array<double> diagonal_;           // diagonal over the functions
  double scale_ = 0;                       // scale of the spin terms, which may cancel in a sector
};

/// The functions of the requested spin; null if any is wanted.
std::unique_ptr<const ci::CsfBasis> chosen_spin(const Request& request,
                                                const DeterminantProblem& molecule);

}  // namespace cisolve::job
