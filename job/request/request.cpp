#include "job/request/request.hpp"

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
         request.source == ProblemSource::integrals ||
         (request.source == ProblemSource::lattice && !is_spins(request));
}

bool is_spins(const Request& request) {
  return request.source == ProblemSource::lattice && request.lattice.model == "heisenberg";
}

bool is_single_occupied(const Request& request) {
  return request.source == ProblemSource::lattice && request.lattice.model == "t-j";
}

}  // namespace cisolve::job
