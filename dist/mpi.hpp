#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/ranks/communicator.hpp"

namespace cisolve::dist {

/// Whether this build has MPI.
bool has_mpi();

/// Monitors other ranks for its lifetime.
class LivenessMonitor {
 public:
  LivenessMonitor() = default;
  LivenessMonitor(const LivenessMonitor&) = delete;
  LivenessMonitor& operator=(const LivenessMonitor&) = delete;
  virtual ~LivenessMonitor() = default;
};

/// Called once, on a separate thread, if a rank shows no sign of life; `announces` is true on one
/// of the ranks that notice, which reports it.
using OnRankLost = std::function<void(int rank, bool announces)>;

/// RAII MPI: initialised and finalised with the one object of this type. MPI is not touched before,
/// so that programs without ranks need no launcher.
class Mpi {
 public:
  /// Values per transfer of a long operation.
  static constexpr base::Index kPiece = base::Index{1} << 16;

  /// Throws ErrorKind::backend if the build has no MPI, ErrorKind::resources if it cannot start.
  Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi();

  /// "Open MPI v4.1.4" as the library names itself.
  static std::string library();

  /// Number of ranks, and of those on this node.
  int size() const;
  int on_node() const;
  /// Index of this rank on its node.
  int place_on_node() const;

  /// Monitors the ranks of this node: one that is stopped or starved counts as lost after five
  /// seconds. Collective; null if ranks are alone on their nodes, or shared memory is not
  /// available.
  std::unique_ptr<LivenessMonitor> watch(const OnRankLost& lost) const;

  /// Communicator of all launched ranks, with messages separate from all others. Collective. Its
  /// destructor waits for the other ranks; if one has failed, only for some seconds, then ends
  /// those that do not answer.
  std::unique_ptr<base::Communicator> ranks(base::Index piece = kPiece) const;
};

}  // namespace cisolve::dist
