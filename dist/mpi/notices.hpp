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

/// What ranks tell each other beside their operations, at any time: that one has failed, and why,
/// or that one has left after so many operations. It travels by messages of its own, which a rank
/// hears while it waits.
class Notices {
 public:
  struct Failure {
    base::Fault fault;
    std::string reason;
  };

  /// All ranks of MPI_COMM_WORLD make theirs together.
  Notices();
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  ~Notices() = default;

  /// Tells all others; nothing where MPI itself is what fails.
  void tell_failure(const Failure& failure) noexcept;
  /// With the failure after which it leaves, since who hears of that first must know the reason.
  void tell_left(std::int64_t operations, const std::optional<Failure>& failure) noexcept;

  /// Takes what has come.
  void hear();

  /// The first failure that was heard of.
  const std::optional<Failure>& failure() const { return failure_; }
  bool have_all_left() const { return left_ + 1 == size_; }
  /// Whether a rank has left that took no part in the operation of this number, from 1 on.
  bool misses(std::int64_t operation) const { return left_ > 0 && fewest_ < operation; }

  /// When all have left. Without it, what may still be on its way has where to go.
  void free();

 private:
  struct Notice {
    std::int64_t fault = kNone;
    std::int64_t operations = kNone;  // of one that left
    char reason[1000] = {};
  };
  static constexpr std::int64_t kNone = -1;
  static Notice notice_of(const Failure& failure);
  void send(const Notice& notice) noexcept;
  void take(const Notice& notice);

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::list<Notice> sent_;  // where they stay as long as they may be on their way
  std::vector<MPI_Request> sending_;
  std::optional<Failure> failure_;
  int left_ = 0;
  std::int64_t fewest_ = 0;  // operations of those that left
};

}  // namespace cisolve::dist
