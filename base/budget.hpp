#pragma once

#include <atomic>
#include <optional>
#include <string_view>

#include "base/types.hpp"

namespace cisolve::base {

enum class MemoryPlace { host, device };

/// How many bytes may be held in one memory, checked before each allocation. Thread-safe.
class MemoryBudget {
 public:
  MemoryBudget(MemoryPlace place, Index limit_bytes) : place_(place), limit_(limit_bytes) {}

  /// Counts `bytes` as held for `what`, or throws Fault::resources, for a device a
  /// DeviceMemoryError, and says who asked for how much.
  void reserve(Index bytes, std::string_view what);
  void release(Index bytes) noexcept;

  /// Throws as reserve() would, but holds nothing: to refuse a plan before its first step.
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

/// Bytes of a budget that are held for what is no Array, such as the containers of a step, until
/// this ends. What was moved from holds nothing.
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

/// Bytes of address space that this process may have, as `ulimit -v` says; none where it may have
/// all.
std::optional<Index> address_space_limit();

/// What this process may still allocate: free memory of the machine and of the control group.
Index available_host_memory();

/// The default limit: what is free, less a reserve for the system.
Index default_host_limit();

/// The same of a device: a twentieth of what is free stays for the workspaces of libraries and the
/// driver.
constexpr Index default_device_limit(Index free_bytes) { return free_bytes / 20 * 19; }

}  // namespace cisolve::base
