#include "job/request/request.hpp"

#include <algorithm>

namespace cisolve::job {

base::Backend open_backend(const Request& request, std::string_view name) {
  const auto or_default = [](Index value) { return value == sparse::kAutomatic ? 0 : value; };
  return base::Backend::by_name(name, static_cast<int>(or_default(request.threads)),
                                {or_default(request.memory), or_default(request.device_memory)});
}

base::Backend open_backend(const Request& request) {
  return open_backend(request, request.backend);
}

bool is_molecular(const Request& request) {
  return request.source == ProblemSource::fcidump || request.source == ProblemSource::trexio ||
         request.source == ProblemSource::lattice || request.source == ProblemSource::integrals;
}

std::string chosen_format(const Request& request, bool on_device) {
  const sparse::FormatOptions& storage = request.storage;
  if (storage.format != "auto") return storage.format;
  // Who names BOUNDARY means the format that has one.
  if (request.tries_boundaries || storage.boundary != sparse::kAutomatic) return "hybrid";
  // A Hamiltonian is multiplied with some dozens of times, which does not repay laying out tiles.
  return on_device && !is_molecular(request) ? "tiled" : "hybrid";
}

sparse::FormatOptions chosen_storage(const Request& request, const base::Backend& backend) {
  constexpr Index kMostAtOnce = 4;
  sparse::FormatOptions storage = request.storage;
  storage.format = chosen_format(request, !backend.is_host());
  const Index states = request.solver.states;
  const Index vectors = states > 0 ? states : request.product.vectors;
  storage.vectors = static_cast<int>(std::min(vectors, kMostAtOnce));
  return storage;
}

}  // namespace cisolve::job
