#include "job/plan/computing.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "job/plan/prediction.hpp"

namespace cisolve::job {

bool pays(const Plan& plan, const Plan& other) {
  const auto whole = plan.whole_seconds();
  const auto of_other = other.whole_seconds();
  return whole && of_other && *whole < *of_other;
}

bool must_compute(const Request& request) { return request.elements.path == kOnTheFly; }

bool names_boundary(const Request& request) {
  return request.tries_boundaries || request.storage.boundary != sparse::kAutomatic;
}

bool names_storage(const Request& request) {
  return request.storage.format != "auto" || names_boundary(request);
}

bool must_code(const Request& request) { return request.elements.path == kCoded; }

bool may_compute(const Request& request) {
  if (!is_molecular(request)) return false;
  return must_compute(request) || (request.elements.path == "auto" && !names_storage(request));
}

sparse::FormatOptions not_stored(const Request& request) {
  if (!is_molecular(request))
    base::fail(
        base::Fault::configuration, request.origin, ": storage.elements is ", request.elements.path,
        ", but this problem has no determinants to compute elements from; expected fcidump, ",
        "trexio or lattice under 'problem:', or elements: precomputed");
  sparse::FormatOptions storage = request.storage;
  storage.format = kNotStored;
  storage.vectors = vectors_at_once(request);
  return storage;
}

void add_computed(const Request& request, const Counts& counts, const Resources& resources,
                  bool on_device, std::size_t first, std::vector<Plan>& plans) {
  Plan computed{
      .elements = kOnTheFly,
      .storage = not_stored(request),
      .on_device = on_device,
      .demand = {counts.work ? counts.work->bytes : 0, least_vectors(request, counts.rows)},
      .limit = on_device ? *resources.device : resources.host,
      .reason = {}};
  predict(request, counts, resources, computed);
  const auto begin = plans.begin() + static_cast<std::ptrdiff_t>(first);
  if (must_compute(request)) {
    computed.reason = "storage.elements names it";
    plans.insert(begin, std::move(computed));
    return;
  }
  const auto place =
      std::find_if(begin, plans.end(), [&](const Plan& stored) { return pays(computed, stored); });
  computed.reason = place == plans.end() ? "nothing of it is held" : times_of(computed);
  plans.insert(place, std::move(computed));
}

}  // namespace cisolve::job
