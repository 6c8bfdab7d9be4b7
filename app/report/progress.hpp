#pragma once

#include <iosfwd>
#include <vector>

#include "base/stopwatch.hpp"
#include "solver/task/observer.hpp"

namespace cisolve::app {

/// Prints a line for each iteration at once; at most one per second during the search for missed
/// states.
class ProgressTable final : public solver::Observer {
 public:
  explicit ProgressTable(std::ostream& out) : out_(out) {}
  bool report(const solver::Progress& progress) override;

 private:
  void write_header(std::size_t energies);
  double largest_change(const solver::Progress& progress) const;

  std::ostream& out_;
  bool begun_ = false;
  bool searching_ = false;
  base::Stopwatch since_line_;
  std::vector<double> last_;
};

/// Several observers as one; each sees every iteration, and any may stop the solution.
class Observers final : public solver::Observer {
 public:
  void add(solver::Observer& observer) { all_.push_back(&observer); }
  bool report(const solver::Progress& progress) override {
    bool go_on = true;
    for (solver::Observer* observer : all_) go_on &= observer->report(progress);
    return go_on;
  }

 private:
  std::vector<solver::Observer*> all_;
};

}  // namespace cisolve::app
