#include "base/budget.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace cisolve::base {

void MemoryBudget::reserve(Index bytes, std::string_view what) {
  Index used = used_.load();
  do {
    if (bytes < 0 || bytes > limit_ - used) refuse(bytes, what, limit_ - used);
  } while (!used_.compare_exchange_weak(used, used + bytes));
  Index peak = peak_.load();
  while (peak < used + bytes && !peak_.compare_exchange_weak(peak, used + bytes)) {
  }
}

void MemoryBudget::release(Index bytes) noexcept { used_ -= bytes; }

void MemoryBudget::require(Index bytes, std::string_view what) const {
  if (bytes < 0 || bytes > left()) refuse(bytes, what, left());
}

void MemoryBudget::refuse(Index bytes, std::string_view what, Index left) const {
  const bool on_device = place_ == MemoryPlace::device;
  const std::string message =
      concat("not enough ", on_device ? "device" : "host", " memory: ", what, " needs ",
             human_bytes(bytes), ", but only ", human_bytes(left), " of the memory budget of ",
             human_bytes(limit_), " are free; raise the budget or choose a smaller problem");
  if (on_device) throw DeviceMemoryError(message);
  throw Error(ErrorKind::resources, message);
}

Reservation::Reservation(MemoryBudget& budget, Index bytes, std::string_view what)
    : budget_(&budget), bytes_(bytes) {
  budget.reserve(bytes, what);
}

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  Reservation taken(std::move(other));
  std::swap(budget_, taken.budget_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

Reservation::~Reservation() { budget_->release(bytes_); }

namespace {

std::optional<Index> first_number(const char* path) {
  std::ifstream file(path);
  Index value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

std::optional<Index> free_memory_of_machine() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::string unit;
  Index kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return std::nullopt;
}

std::optional<Index> free_memory_of_control_group() {
  const auto limit = first_number("/sys/fs/cgroup/memory.max");
  const auto used = first_number("/sys/fs/cgroup/memory.current");
  if (limit && used) return std::max<Index>(0, *limit - *used);
  return std::nullopt;
}

std::optional<Index> free_address_space() {
  const auto limit = address_space_limit();
  const auto pages = limit ? first_number("/proc/self/statm") : std::nullopt;
  if (!pages) return std::nullopt;
  return std::max<Index>(0, *limit - *pages * sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<Index> address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<Index>(limit.rlim_cur);
}

Index available_host_memory() {
  constexpr Index unknown = std::numeric_limits<Index>::max();
  const Index available = std::min({free_memory_of_machine().value_or(unknown),
                                    free_memory_of_control_group().value_or(unknown),
                                    free_address_space().value_or(unknown)});
  return available == unknown ? Index{4} << 30 : available;
}

Index default_host_limit() { return available_host_memory() / 10 * 9; }

}  // namespace cisolve::base
