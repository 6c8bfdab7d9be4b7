#pragma once

#include <future>
#include <memory>

#include "job/problem/independent_problem.hpp"

namespace cisolve::job {

/// A second reading by a thread of its own, begun while a device solves and the host would wait. It
/// is the reading that would come later, from the same source: it sees nothing of the first one.
class BackgroundReading {
 public:
  /// Begins where the problem is a molecule's that this process reads by itself, and what is held
  /// by now would fit several times into what is left.
  void begin(const Request& request, const base::Backend& host);

  bool has_begun() const { return begun_.valid(); }

  /// What was begun, or one that is made now; so is one for which there was no room before.
  std::unique_ptr<IndependentProblem> finish(const Request& request, const base::Backend& backend);

 private:
  std::future<std::unique_ptr<IndependentProblem>>
      begun_;  // the last to refer to it waits for its end
};

}  // namespace cisolve::job
