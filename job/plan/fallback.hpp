#pragma once

#include <optional>
#include <string>

#include "job/request/request.hpp"

namespace cisolve::job {

/// Where the matrix of a job lies, and as what.
struct Plan {
  bool on_device = false;
  std::string format;
  Index device_bytes = 0;  // the budget of the device

  /// "tiled on the device"
  std::string text() const;
};

/// What a job does instead of a plan whose device had not the memory, while nothing else of the job
/// is left there and `free_bytes` are free: the smallest format, where the request leaves it
/// to the program; the same with the memory that there really is; the host, where the backend is
/// left to the program. None where what was asked for by name cannot be had.
std::optional<Plan> smaller_plan(const Request& request, const Plan& failed, Index free_bytes);

/// What was done instead of what, and why.
struct Fallback {
  std::string from;
  std::string to;
  std::string reason;
};

}  // namespace cisolve::job
