#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "dist/mpi.hpp"

namespace cisolve::dist {

/// Signs of life among the ranks of a node, in memory that they share: a thread of each counts
/// there, and sees whether the others do. It calls nothing of MPI, which may be what hangs. Time is
/// counted in its own steps, so that ranks that were all stopped together and go on later do not
/// take each other for lost.
class Heartbeat final : public Watch {
 public:
  /// All ranks of a node have one together. None where the system gives no memory to share.
  static std::unique_ptr<Heartbeat> begin(const Lost& lost);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() override;

 private:
  using Beats = std::span<std::atomic<std::int64_t>>;

  Heartbeat(Beats beats, std::vector<int> ranks, int mine, Lost lost);
  void watch(const std::stop_token& stop);

  Beats beats_;             // of the ranks of the node, and the memory that is shared
  std::vector<int> ranks_;  // their numbers among all
  int mine_;
  Lost lost_;
  std::jthread thread_;
};

}  // namespace cisolve::dist
