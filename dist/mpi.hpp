#pragma once

#include <memory>
#include <string>

#include "base/ranks/communicator.hpp"

namespace cisolve::dist {

/// Whether this build has MPI.
bool has_mpi();

/// MPI in this process: begun with the one object of it, ended with it. Nothing of MPI is touched
/// before, so that a program which needs no ranks starts without a launcher and pays nothing.
class Mpi {
 public:
  /// Of a long operation, so many values are on their way at once.
  static constexpr base::Index kPiece = base::Index{1} << 16;

  /// Throws Fault::backend where the build has no MPI, Fault::resources where it cannot begin.
  Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi();

  /// "Open MPI v4.1.4" as the library names itself.
  std::string library() const;

  /// How many ranks there are, and how many of them share this one's node.
  int size() const;
  int on_node() const;

  /// All ranks that the launcher has started, with messages of their own, which no others see; all
  /// ask for them together. When they are given back, each rank waits until the others have done
  /// so too; where one has failed, for some seconds, and then it ends those that do not answer.
  std::unique_ptr<base::Communicator> ranks(base::Index piece = kPiece) const;
};

}  // namespace cisolve::dist
