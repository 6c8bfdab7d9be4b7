#include "job/request/request.hpp"

#include <cmath>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/openmp/threads.hpp"

namespace cisolve::job {
namespace {

void require_few_threads(const Request& request) {
  if (request.threads && *request.threads > base::most_threads())
    base::fail(base::ErrorKind::configuration, request.origin, ": threads is ", *request.threads,
               "; expected auto, or ", base::most_threads_text());
}

}  // namespace

base::Backend open_backend(const Request& request, std::string_view name) {
  require_few_threads(request);
  const base::Backend backend =
      base::Backend::by_name(name, static_cast<int>(request.threads.value_or(0)),
                             {request.memory.value_or(0), request.device_memory.value_or(0)});
  base::require_threads(backend.threads());
  return backend;
}

base::Backend open_backend(const Request& request) {
  return open_backend(request, request.backend.text());
}

bool has_determinants(const Request& request) {
  return request.source == ProblemSource::fcidump || request.source == ProblemSource::trexio ||
         request.source == ProblemSource::integrals ||
         (request.source == ProblemSource::lattice && !is_site_basis(request));
}

bool is_in_hartree(const Request& request) {
  return has_determinants(request) && request.source != ProblemSource::lattice;
}

bool is_site_basis(const Request& request) {
  return request.source == ProblemSource::lattice &&
         (request.lattice.model == LatticeModel::heisenberg || !request.space.symmetry.is_any());
}

bool is_single_occupied(const Request& request) {
  return request.source == ProblemSource::lattice && request.lattice.model == LatticeModel::t_j;
}

std::optional<int> twice_spin(const Request& request) {
  if (!request.space.spin) return std::nullopt;
  const double twice = 2 * *request.space.spin;
  if (twice != std::floor(twice))
    base::fail(base::ErrorKind::configuration, request.origin, ": space.spin is ",
               base::shortest(*request.space.spin),
               "; expected the total spin S, a whole or a half number such as 0, 0.5 or 1");
  return static_cast<int>(twice);
}

// Products do not predict the time of a dense solution.
bool may_do_without_device(const Request& request) {
  const Request::Solver& solver = request.solver;
  const bool only_solves =
      solver.states > 0 && solver.method != solver::Method::dense && !request.product.wanted;
  return request.backend.is_automatic() && only_solves && !request.device_memory;
}

bool may_wait_for_a_device(const Request& request) {
  return base::cuda::is_built() && may_do_without_device(request);
}

}  // namespace cisolve::job
