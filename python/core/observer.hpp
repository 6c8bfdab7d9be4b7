#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <optional>

#include "solver/task/observer.hpp"

namespace cisolve::python {

/// State of a stopped solution; another one may start from it.
struct StoppedState {
  solver::Checkpoint checkpoint;

  solver::Checkpoint copy() const;
};

/// Observer of a solution that runs without the interpreter lock: acquires it at each iteration to
/// check for signals and to call the user's function, which stops the solution by returning False.
class ProgressObserver final : public solver::Observer {
 public:
  /// `callback`: the user's function, or None.
  explicit ProgressObserver(nanobind::object callback) : callback_(std::move(callback)) {}

  bool report(const solver::Progress& progress) override;

  /// Null if the solution was not stopped.
  std::shared_ptr<StoppedState> state() const { return state_; }
  /// Whether a KeyboardInterrupt stopped it.
  bool was_interrupted() const { return interrupted_; }
  /// Rethrows the exception of the function or of a signal handler.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  bool call_python(const solver::Progress& progress);

  nanobind::object callback_;
  std::shared_ptr<StoppedState> state_;
  std::exception_ptr raised_;
  bool interrupted_ = false;
};

}  // namespace cisolve::python
