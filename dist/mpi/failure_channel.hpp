#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace cisolve::dist {

/// Out-of-band messages between ranks, which a rank polls while it waits: that a rank has failed,
/// and why, or has left after a number of operations.
class FailureChannel {
 public:
  struct Failure {
    base::ErrorKind fault;
    std::string reason;
  };

  /// Collective over MPI_COMM_WORLD.
  FailureChannel();
  FailureChannel(const FailureChannel&) = delete;
  FailureChannel& operator=(const FailureChannel&) = delete;
  ~FailureChannel() = default;

  /// Sends to all others; does nothing if MPI itself fails.
  void send_failure(const Failure& failure) noexcept;
  /// Announces the departure, with the preceding failure, if any, whose reason a receiver may not
  /// know yet.
  void send_left(std::int64_t operations, const std::optional<Failure>& failure) noexcept;

  /// Receives pending messages.
  void poll();

  /// First failure received.
  const std::optional<Failure>& failure() const { return failure_; }
  bool have_all_left() const { return left_ + 1 == size_; }
  /// Whether a rank has left without taking part in this operation, counted from 1.
  bool misses(std::int64_t operation) const { return left_ > 0 && fewest_ < operation; }

  /// Frees MPI resources after all have left. Without it pending messages still have a destination.
  void free();

 private:
  struct Notice {
    std::int64_t fault = kNone;
    std::int64_t operations = kNone;  // collective operations of a rank that left
    char reason[1000] = {};
  };
  static constexpr std::int64_t kNone = -1;
  static Notice notice_of(const Failure& failure);
  void send(const Notice& notice) noexcept;
  void take(const Notice& notice);

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::list<Notice> sent_;  // kept while sends may be pending
  std::vector<MPI_Request> sending_;
  std::optional<Failure> failure_;
  int left_ = 0;
  std::int64_t fewest_ = 0;  // least number of operations of those that left
};

}  // namespace cisolve::dist
