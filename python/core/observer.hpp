#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <optional>

#include "solver/task/observer.hpp"

namespace cisolve::python {

/// What a solution had reached when it was stopped; another one may begin with it.
struct StoppedState {
  solver::Checkpoint checkpoint;

  solver::Checkpoint copy() const;
};

/// Listens to a solution that runs without the interpreter: takes that at each iteration, to look
/// for signals and to tell a function of the user's, which may stop it by the answer False.
class ProgressObserver final : public solver::Observer {
 public:
  /// `tell` is None where nobody is to be told.
  explicit ProgressObserver(nanobind::object tell) : tell_(std::move(tell)) {}

  bool report(const solver::Progress& progress) override;

  /// Null of a solution that came to its end.
  std::shared_ptr<StoppedState> state() const { return state_; }
  /// By the user's keys, as Python understands them.
  bool was_interrupted() const { return interrupted_; }
  /// Throws what the function has raised, or the handler of a signal.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  bool ask(const solver::Progress& progress);

  nanobind::object tell_;
  std::shared_ptr<StoppedState> state_;
  std::exception_ptr raised_;
  bool interrupted_ = false;
};

}  // namespace cisolve::python
