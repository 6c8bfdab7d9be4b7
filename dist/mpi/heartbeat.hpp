#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "dist/mpi.hpp"

namespace cisolve::dist {

/// Heartbeats of a node's ranks in shared memory: a thread of each rank increments its counter and
/// watches the others. It calls no MPI, which may be what hangs. Time is counted in its own steps,
/// so that ranks that were all suspended do not take each other for lost.
class Heartbeat final : public LivenessMonitor {
 public:
  /// One per rank of a node; collective. Null if shared memory is not available.
  static std::unique_ptr<Heartbeat> begin(const OnRankLost& lost);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() override;

 private:
  using Beats = std::span<std::atomic<std::int64_t>>;

  Heartbeat(Beats beats, std::vector<int> ranks, int mine, OnRankLost lost);
  void watch(const std::stop_token& stop);

  Beats beats_;             // counters of the node's ranks, in shared memory
  std::vector<int> ranks_;  // global rank of each rank on the node
  int mine_;
  OnRankLost lost_;
  std::jthread thread_;
};

}  // namespace cisolve::dist
