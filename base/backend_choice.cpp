#include "base/backend_choice.hpp"

#include "base/text.hpp"

namespace cisolve::base {
namespace {

constexpr std::string_view kBestThereIs = "auto";

}  // namespace

std::optional<BackendChoice> BackendChoice::named(std::string_view name) {
  if (name == kBestThereIs) return BackendChoice();
  for (const BackendKind kind : {BackendKind::reference, BackendKind::openmp, BackendKind::cuda})
    if (name == name_of(kind)) return kind;
  BackendChoice numbered = BackendKind::cuda;
  numbered.device = device_number(name);
  return numbered.device ? std::optional(numbered) : std::nullopt;
}

std::string BackendChoice::text() const {
  const std::string name(kind ? name_of(*kind) : kBestThereIs);
  return device ? concat(name, ":", *device) : name;
}

}  // namespace cisolve::base
