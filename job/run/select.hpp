#pragma once

#include "job/run/stages.hpp"

// Selected spaces: grow, plan and solve repeatedly. The states of the last list are then verified
// and described like those of any list of determinants, perturbed, and extrapolated.
namespace cisolve::job {

bool is_selected(const Request& request);

/// A grown list of determinants with the data of the following steps.
class SelectedSpace {
 public:
  SelectedSpace() = default;
  SelectedSpace(const SelectedSpace&) = delete;
  SelectedSpace& operator=(const SelectedSpace&) = delete;
  virtual ~SelectedSpace() = default;

  /// The request of a job over its determinants.
  virtual Request list_request() const = 0;
  /// The states of the last solution, as a start; may be called once.
  virtual solver::Checkpoint take_start() = 0;
  /// Perturbs the verified states of the record and extrapolates their energies.
  virtual void perturb(const JobContext& job) const = 0;
};

/// Grows the space of a request through its schedule; the rounds go into the record. Throws
/// ErrorKind::configuration if the request cannot be met.
std::unique_ptr<SelectedSpace> select(const JobContext& job);

}  // namespace cisolve::job
