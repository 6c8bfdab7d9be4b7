#include "python/core/observer.hpp"

#include <nanobind/stl/vector.h>

#include <vector>

namespace cisolve::python {

namespace nb = nanobind;

solver::Checkpoint StoppedState::copy() const {
  const base::Backend& host = checkpoint.basis.backend();
  return {.basis = base::MultiVector::copy_of(host, checkpoint.basis.block(), host),
          .layout = checkpoint.layout,
          .energies = checkpoint.energies,
          .iterations = checkpoint.iterations,
          .products = checkpoint.products};
}

bool ProgressObserver::call_python(const solver::Progress& progress) {
  const nb::gil_scoped_acquire interpreter;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (callback_.is_none()) return true;
    const std::vector<double> energies(progress.energies.begin(), progress.energies.end());
    const std::vector<double> residuals(progress.residuals.begin(), progress.residuals.end());
    return !callback_(progress.iteration, energies, residuals, progress.products, progress.subspace,
                      progress.searching, progress.seconds)
                .is(nb::bool_(false));
  } catch (const nb::python_error& error) {
    interrupted_ = error.matches(PyExc_KeyboardInterrupt);
    raised_ = std::current_exception();
    return false;
  }
}

bool ProgressObserver::report(const solver::Progress& progress) {
  if (call_python(progress)) return true;
  state_ = std::make_shared<StoppedState>(StoppedState{progress.state.checkpoint()});
  return false;
}

}  // namespace cisolve::python
