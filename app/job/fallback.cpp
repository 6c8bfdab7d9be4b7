#include "app/job/fallback.hpp"

#include <algorithm>

namespace cisolve::app {
namespace {

constexpr const char* kSmallest = "csr";  // it pads nothing

bool leaves_the_format(const Configuration& configuration) {
  return configuration.storage.format == "auto" && !configuration.tries_boundaries &&
         configuration.storage.boundary == sparse::kAutomatic;
}

// So much less that another outcome may be expected; what is free is never twice the same.
bool is_clearly_less(Index bytes, Index than) { return bytes < than / 10 * 9; }

}  // namespace

std::string Plan::text() const { return format + (on_device ? " on the device" : " on the host"); }

std::optional<Plan> smaller_plan(const Configuration& configuration, const Plan& failed,
                                 Index free_bytes) {
  if (!failed.on_device) return std::nullopt;
  const Index really = std::max<Index>(1, base::default_device_limit(free_bytes));
  const Index budget = std::min(failed.device_bytes, really);
  if (leaves_the_format(configuration) && failed.format != kSmallest)
    return Plan{true, kSmallest, budget};
  if (is_clearly_less(budget, failed.device_bytes)) return Plan{true, failed.format, budget};
  if (configuration.backend != "auto") return std::nullopt;
  return Plan{false, chosen_format(configuration, false), 0};
}

}  // namespace cisolve::app
