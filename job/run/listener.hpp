#pragma once

#include <functional>
#include <span>
#include <string>

#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/problem/source.hpp"
#include "job/run/outcome.hpp"
#include "solver/task/observer.hpp"
#include "sparse/rows/statistics.hpp"
#include "sparse/stored/plan.hpp"

namespace cisolve::job {

/// A problem that is open: what is to be solved.
struct OpenProblem {
  const sparse::MatrixShape& shape;
  const DeterminantProblem* molecule;  // null where a matrix is all there is
  const SiteProblemRows* spins;        // null where there are none
  const base::Backend& backend;
  std::span<const Fallback> fallbacks;  // so far
  bool is_small = false;                // so that no device was started
};

/// A matrix before it is built, and every format that could hold it.
struct MatrixDescription {
  const sparse::Statistics& statistics;
  std::span<const sparse::PlannedFormat> plans;
  const sparse::FormatOptions& storage;
};

/// States whose vectors are what they stay, in the host's memory.
struct LentStates {
  base::ConstBlock vectors;
  const base::Layout& layout;
  const DeterminantProblem* molecule;  // null where a matrix is all there is
};

/// Hears how a job goes, in this order. Whoever runs a job tells people, logs and files of it by
/// one; each of these may be left as it is.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;

  virtual void opened(const OpenProblem& /*problem*/) {}
  /// Of states of one spin: the functions that they are found among.
  virtual void chose_spin(const ci::CsfBasis& /*basis*/) {}
  virtual void described(const MatrixDescription& /*matrix*/) {}
  virtual void built(const Outcome& /*so_far*/) {}
  virtual void measured(const Outcome& /*so_far*/) {}
  virtual void solved(const Outcome& /*so_far*/) {}
  /// All states, by the one who will verify them: their vectors are whole, where the solution left
  /// them. Whatever becomes of the job from here on, what is kept of them now is not lost.
  virtual void found(const Outcome& /*so_far*/) {}
  /// Before they are verified and described, if there is room to: the vectors of the outcome and
  /// its molecule, which stay until release(). What is begun with them runs beside the job, which
  /// reads no file by a process of its own from now on.
  virtual void states_lent(const LentStates& /*states*/) {}
  virtual void verified(const Outcome& /*so_far*/) {}
  /// Also of a job that fails: nobody may read them any more.
  virtual void release() noexcept {}

  /// A round of the growth of a selected space, before its last list is opened as a problem.
  virtual void selected(const SelectionRound& /*round*/) {}
  /// The record has the perturbation of a selected space, whose states were verified before.
  virtual void perturbed(const Outcome& /*so_far*/) {}

  /// At any time: less is made do with. What was built so far may be built anew.
  virtual void fell_back(const Fallback& /*step*/) {}

  /// Runs a piece of work over rows; the watch that it is given hears of them.
  virtual void watch(const std::string& /*what*/, Index /*rows*/,
                     const std::function<void(const Watch&)>& work) {
    work({});
  }

  /// Hears of the iterations and may stop them; null for nobody.
  virtual solver::Observer* observer() { return nullptr; }

  /// What a solution begins with, asked for before each; it may be the checkpoint of an earlier
  /// one.
  virtual std::optional<solver::Checkpoint> start() { return std::nullopt; }
};

}  // namespace cisolve::job
