#include "job/plan/fallback.hpp"

#include <algorithm>

namespace cisolve::job {
namespace {

constexpr const char* kSmallest = "csr";  // it pads nothing

bool leaves_the_format(const Request& request) {
  return request.storage.format == "auto" && !request.tries_boundaries &&
         request.storage.boundary == sparse::kAutomatic;
}

// So much less that another outcome may be expected; what is free is never twice the same.
bool is_clearly_less(Index bytes, Index than) { return bytes < than / 10 * 9; }

}  // namespace

std::string Plan::text() const { return format + (on_device ? " on the device" : " on the host"); }

std::optional<Plan> smaller_plan(const Request& request, const Plan& failed, Index free_bytes) {
  if (!failed.on_device) return std::nullopt;
  const Index really = std::max<Index>(1, base::default_device_limit(free_bytes));
  const Index budget = std::min(failed.device_bytes, really);
  if (leaves_the_format(request) && failed.format != kSmallest)
    return Plan{true, kSmallest, budget};
  if (is_clearly_less(budget, failed.device_bytes)) return Plan{true, failed.format, budget};
  if (request.backend != "auto") return std::nullopt;
  return Plan{false, chosen_format(request, false), 0};
}

}  // namespace cisolve::job
