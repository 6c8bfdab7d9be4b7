#include "app/config/configuration.hpp"

#include <algorithm>

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

std::string chosen_format(const Configuration& configuration, bool on_device) {
  const sparse::FormatOptions& storage = configuration.storage;
  if (storage.format != "auto") return storage.format;
  // Who names BOUNDARY means the format that has one.
  if (configuration.tries_boundaries || storage.boundary != sparse::kAutomatic) return "hybrid";
  // A Hamiltonian is multiplied with some dozens of times, which does not repay laying out tiles.
  return on_device && !is_molecular(configuration) ? "tiled" : "hybrid";
}

sparse::FormatOptions chosen_storage(const Configuration& configuration,
                                     const base::Backend& backend) {
  constexpr Index kMostAtOnce = 4;
  sparse::FormatOptions storage = configuration.storage;
  storage.format = chosen_format(configuration, !backend.is_host());
  const Index states = configuration.solver.states;
  const Index vectors = states > 0 ? states : configuration.product.vectors;
  storage.vectors = static_cast<int>(std::min(vectors, kMostAtOnce));
  return storage;
}

}  // namespace cisolve::app
