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

sparse::FormatOptions chosen_storage(const Configuration& configuration,
                                     const base::Backend& backend) {
  constexpr Index kMostAtOnce = 4;
  sparse::FormatOptions storage = configuration.storage;
  const bool asks_for_boundary = storage.boundary != sparse::kAutomatic;
  // A Hamiltonian is multiplied with some dozens of times, which does not repay laying out tiles.
  const bool tiled = !backend.is_host() && !is_molecular(configuration) && !asks_for_boundary;
  if (storage.format == "auto") storage.format = tiled ? "tiled" : "hybrid";
  const Index states = configuration.solver.states;
  const Index vectors = states > 0 ? states : configuration.product.vectors;
  storage.vectors = static_cast<int>(std::min(vectors, kMostAtOnce));
  return storage;
}

}  // namespace cisolve::app
