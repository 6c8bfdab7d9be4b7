#include "app/config/configuration.hpp"

namespace cisolve::app {

base::Backend open_backend(const Configuration& configuration, std::string_view name) {
  const auto or_default = [](Index value) { return value == sparse::kAutomatic ? 0 : value; };
  return base::Backend::by_name(
      name, static_cast<int>(or_default(configuration.threads)),
      {or_default(configuration.memory), or_default(configuration.device_memory)});
}

base::Backend open_backend(const Configuration& configuration) {
  return open_backend(configuration, configuration.backend);
}

bool is_molecular(const Configuration& configuration) {
  return configuration.source == ProblemSource::fcidump ||
         configuration.source == ProblemSource::trexio ||
         configuration.source == ProblemSource::lattice;
}

sparse::FormatOptions chosen_storage(const Configuration& configuration) {
  sparse::FormatOptions storage = configuration.storage;
  if (storage.format == "auto") storage.format = "hybrid";
  return storage;
}

}  // namespace cisolve::app
