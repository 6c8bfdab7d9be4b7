#pragma once

#include <memory>
#include <string>

#include "base/ranks/communicator.hpp"
#include "dist/mpi.hpp"

namespace cisolve::app {

/// The processes that a launcher such as mpirun or srun says, in the environment, to have started.
struct Launch {
  int size = 1;
  int rank = 0;
};
Launch launch();

/// The ranks of this program. MPI begins only where a launcher has started several processes, and a
/// program that cannot reach them is refused, so that no job is run many times over.
class Ranks {
 public:
  Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() = default;

  const base::Communicator& all() const { return *all_; }
  int on_node() const { return mpi_ ? mpi_->on_node() : 1; }
  int place_on_node() const { return mpi_ ? mpi_->place_on_node() : 0; }

  /// Whether all ranks threw the error together, and can go on, rather than one of them alone.
  static bool is_of_all(const base::Error& error);
  /// Whether this rank says what went wrong: one does so for all.
  bool tells(const base::Error& error) const;
  /// A message with the rank that it comes from, where there are others.
  std::string named(const std::string& message) const;

  /// After a failure of one rank alone: the others are left, and MPI with what it still waits for.
  void break_off();

 private:
  std::unique_ptr<dist::Mpi> mpi_;
  std::unique_ptr<base::Communicator> all_;
  std::unique_ptr<dist::Watch> watch_;
};

}  // namespace cisolve::app
