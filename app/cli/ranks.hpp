#pragma once

#include <memory>
#include <string>

#include "base/ranks/communicator.hpp"
#include "dist/mpi.hpp"

namespace cisolve::app {

/// The number of processes and the rank of this one, as set by a launcher such as mpirun or srun in
/// the environment.
struct Launch {
  int size = 1;
  int rank = 0;
};
Launch launch();

/// The ranks of this program. MPI is initialised only if a launcher has started several processes.
/// Throws if MPI cannot reach them all, so that no job runs several times.
class Ranks {
 public:
  Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() = default;

  const base::Communicator& all() const { return *all_; }
  int on_node() const { return mpi_ ? mpi_->on_node() : 1; }
  int place_on_node() const { return mpi_ ? mpi_->place_on_node() : 0; }

  /// Whether all ranks threw this error collectively; if so they can continue.
  static bool is_collective(const base::Error& error);
  /// Whether this rank reports the error; exactly one rank does.
  bool reports(const base::Error& error) const;
  /// Prefixes the message with the rank if there are several.
  std::string named(const std::string& message) const;

  /// Leaves the other ranks after a failure on this rank alone; pending MPI operations are not
  /// completed.
  void abandon_peers();

 private:
  std::unique_ptr<dist::Mpi> mpi_;
  std::unique_ptr<base::Communicator> all_;
  std::unique_ptr<dist::LivenessMonitor> watch_;
};

}  // namespace cisolve::app
