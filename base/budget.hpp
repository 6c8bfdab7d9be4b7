#pragma once

#include <atomic>
#include <optional>
#include <string_view>

#include "base/types.hpp"

namespace cisolve::base {

enum class MemoryPlace { host, device };

/// Limit on the bytes held in one memory, checked before each allocation. Thread-safe.
class MemoryBudget {
 public:
  MemoryBudget(MemoryPlace place, Index limit_bytes) : place_(place), limit_(limit_bytes) {}

  /// Adds `bytes`, held for `what`; throws ErrorKind::resources, for a device a DeviceMemoryError,
  /// if they exceed the limit.
  void reserve(Index bytes, std::string_view what);
  void release(Index bytes) noexcept;

  /// Throws as reserve() would, but holds nothing: refuses a plan before its first step.
  void require(Index bytes, std::string_view what) const;

  Index limit() const { return limit_; }
  Index used() const { return used_; }
  Index peak() const { return peak_; }
  Index left() const { return limit_ - used_; }

 private:
  [[noreturn]] void refuse(Index bytes, std::string_view what, Index left) const;

  MemoryPlace place_;
  Index limit_;
  std::atomic<Index> used_{0};
  std::atomic<Index> peak_{0};
};

/// RAII reservation of budget for memory other than Arrays, such as containers. Empty after a move.
class Reservation {
 public:
  Reservation(MemoryBudget& budget, Index bytes, std::string_view what);
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation();

 private:
  MemoryBudget* budget_;
  Index bytes_;
};

/// Limit of address space in bytes (`ulimit -v`); none if unlimited.
std::optional<Index> address_space_limit();

/// Bytes that this process may still allocate: free memory of machine and control group.
Index available_host_memory();

/// Default limit: free memory less a reserve for the system.
Index default_host_limit();

/// Default limit of a device: a twentieth of its free memory is left to libraries and driver.
constexpr Index default_device_limit(Index free_bytes) { return free_bytes / 20 * 19; }

}  // namespace cisolve::base
