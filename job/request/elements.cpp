#include "job/request/elements.hpp"

#include <algorithm>

namespace cisolve::job {

bool must_factorise(const Request& request) {
  return request.elements.path == ElementPath::factorised;
}

bool must_compute(const Request& request) {
  return request.elements.path == ElementPath::on_the_fly || must_factorise(request);
}

bool must_mix(const Request& request) { return request.elements.path == ElementPath::mixed; }

bool must_code(const Request& request) { return request.elements.path == ElementPath::coded; }

bool names_boundary(const Request& request) {
  return request.tries_boundaries || request.storage.boundary != sparse::kAutomatic;
}

bool names_format(const Request& request) { return request.storage.format != "auto"; }

bool names_storage(const Request& request) {
  return names_format(request) || names_boundary(request);
}

bool may_compute(const Request& request) {
  if (is_site_basis(request) && (request.elements.threshold > 0 || must_factorise(request)))
    return false;
  if (!has_determinants(request) && !is_site_basis(request)) return false;
  return must_compute(request) ||
         (request.elements.path == ElementPath::automatic && !names_storage(request));
}

bool leaves_format(const Request& request) {
  return !must_code(request) && !names_storage(request);
}

bool learns_anywhere(const Request& request) { return may_compute(request) || must_mix(request); }

bool depends_on_rows(const Request& request) {
  return learns_anywhere(request) || may_have_diagonals(request);
}

bool may_have_diagonals(const Request& request) {
  if (request.source == ProblemSource::generate)
    return request.generate.pattern != sparse::GeneratedPattern::ci;
  return !has_determinants(request);
}

int vectors_at_once(const Request& request) {
  constexpr Index kMostAtOnce = 4;
  const Index states = request.solver.states;
  const Index vectors = states > 0 ? states : request.product.vectors;
  return static_cast<int>(std::min(vectors, kMostAtOnce));
}

}  // namespace cisolve::job
