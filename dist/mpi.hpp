#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/ranks/communicator.hpp"

namespace cisolve::dist {

/// Whether this build has MPI.
bool has_mpi();

/// What watches over other ranks as long as it lives.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  virtual ~Watch() = default;
};

/// Hears from a thread of its own, once, that a rank shows no sign of life; one of those that hear
/// of it tells.
using Lost = std::function<void(int rank, bool tells)>;

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
  static std::string library();

  /// How many ranks there are, and how many of them share this one's node.
  int size() const;
  int on_node() const;
  /// Which of these this one is.
  int place_on_node() const;

  /// Watches over the ranks of this node: one that was stopped, or whose machine lets it do
  /// nothing, is lost after five seconds. All ranks ask for it together; null where they are alone
  /// on their nodes, or have no memory to share.
  std::unique_ptr<Watch> watch(const Lost& lost) const;

  /// All ranks that the launcher has started, with messages of their own, which no others see; all
  /// ask for them together. When they are given back, each rank waits until the others have done
  /// so too; where one has failed, for some seconds, and then it ends those that do not answer.
  std::unique_ptr<base::Communicator> ranks(base::Index piece = kPiece) const;
};

}  // namespace cisolve::dist
