#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/block.hpp"
#include "base/ranks/layout.hpp"
#include "job/run/outcome.hpp"
#include "solver/task/checkpoint.hpp"
#include "solver/task/observer.hpp"
#include "sparse/stored/plan.hpp"

namespace cisolve::ci {
class CsfBasis;
}
namespace cisolve::sparse {
struct Statistics;
}

namespace cisolve::job {

class SiteProblemRows;

/// An opened problem.
struct OpenProblem {
  const sparse::MatrixShape& shape;
  const DeterminantProblem* determinant_problem;  // null: a matrix or site states
  const SiteProblemRows* sites;                   // null: no site states
  const base::Backend& backend;
  std::span<const Fallback> fallbacks;  // fallbacks so far
  bool is_small = false;                // whether it is so small that no device was started
};

/// A matrix before it is built, and every format that could hold it.
struct MatrixDescription {
  const sparse::Statistics& statistics;
  std::span<const sparse::PlannedFormat> plans;
  const sparse::FormatOptions& storage;
};

/// States with their final vectors, in host memory.
struct LentStates {
  base::ConstBlock vectors;
  const base::Layout& layout;
  const DeterminantProblem* determinant_problem;  // null: a matrix or site states
};

/// Receives the progress of a job: the functions are called in this order. Override those that you
/// need; tables, logs and files of a job are written by listeners.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;

  /// The problem was opened and its plans were ranked.
  virtual void opened(const OpenProblem& /*problem*/) {}
  /// Called for states of one total spin, with their basis of configuration state functions.
  virtual void chose_spin(const ci::CsfBasis& /*basis*/) {}
  /// Called before the build, only if the product is to be reported.
  virtual void described(const MatrixDescription& /*matrix*/) {}
  /// The operator was built.
  virtual void built(const Outcome& /*so_far*/) {}
  /// The product was timed and checked.
  virtual void measured(const Outcome& /*so_far*/) {}
  /// The solution ended: converged or not, or interrupted.
  virtual void solved(const Outcome& /*so_far*/) {}
  /// All states, on the rank that will verify them: their vectors are whole, on the backend of the
  /// solution. What is saved of them now outlives a later failure of the job.
  virtual void found(const Outcome& /*so_far*/) {}
  /// Before verification and description, if memory allows: the vectors of the outcome and its
  /// determinant problem, valid until release(). Work begun with them runs concurrently with the
  /// job, which forks no process to read files from now on.
  virtual void states_lent(const LentStates& /*states*/) {}
  /// The job has ended, with its verification and description.
  virtual void verified(const Outcome& /*so_far*/) {}
  /// The lent states become invalid; called for failed jobs, too.
  virtual void release() noexcept {}

  /// A round of the growth of a selected space, before its last list is opened as a problem.
  virtual void selected(const SelectionRound& /*round*/) {}
  /// The record has the perturbation of a selected space; its states were verified before.
  virtual void perturbed(const Outcome& /*so_far*/) {}

  /// Called whenever a fallback was taken. What was built so far may be built anew.
  virtual void fell_back(const Fallback& /*step*/) {}

  /// Runs `work` over `rows` rows; it reports its progress to the watch that it receives.
  virtual void watch(const std::string& /*what*/, Index /*rows*/,
                     const std::function<void(const std::function<void(Index rows)>&)>& work) {
    work({});
  }

  /// Receives the iterations and may stop them; null: none.
  virtual solver::Observer* observer() { return nullptr; }

  /// The start of a solution, requested before each; it may be the checkpoint of an earlier one.
  virtual std::optional<solver::Checkpoint> start() { return std::nullopt; }
};

}  // namespace cisolve::job
