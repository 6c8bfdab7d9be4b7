#pragma once

#include <future>
#include <memory>

#include "job/problem/independent_problem.hpp"

namespace cisolve::job {

/// Reads the problem a second time in a background thread, while a device solves and the host would
/// wait. It is the reading that would follow later, from the same source, independent of the first.
class BackgroundReading {
 public:
  /// Starts if this process itself reads a determinant problem, and the memory left is several
  /// times that in use.
  void begin(const Request& request, const base::Backend& host);

  bool is_started() const { return begun_.valid(); }

  /// Returns that reading, or reads now if none was begun or its memory did not suffice.
  std::unique_ptr<IndependentProblem> finish(const Request& request, const base::Backend& backend);

 private:
  /// Made by std::async: its destructor waits.
  std::future<std::unique_ptr<IndependentProblem>> begun_;
};

}  // namespace cisolve::job
