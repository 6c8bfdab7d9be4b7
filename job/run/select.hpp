#pragma once

#include "job/run/stages.hpp"

// Selected spaces: grow, plan, solve, again and again; then the states of the last list are
// verified and described as those of any list of determinants, perturbed, and extrapolated.
namespace cisolve::job {

bool is_selected(const Request& request);

/// Holds a list that has grown, and what is needed to go on from it.
class SelectedSpace {
 public:
  SelectedSpace() = default;
  SelectedSpace(const SelectedSpace&) = delete;
  SelectedSpace& operator=(const SelectedSpace&) = delete;
  virtual ~SelectedSpace() = default;

  /// The job over its determinants.
  virtual Request list_request() const = 0;
  /// The states of the last solution over them, as a start; once.
  virtual solver::Checkpoint take_start() = 0;
  /// Perturbs the verified states of the record, and extrapolates their energies.
  virtual void perturb(const JobContext& job) const = 0;
};

/// Grows the space of a request, through its schedule. The rounds are in the record. Throws
/// ErrorKind::configuration for a selected space that cannot be had as it is asked for.
std::unique_ptr<SelectedSpace> select(const JobContext& job);

}  // namespace cisolve::job
