#include "job/plan/computing.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "job/plan/prediction.hpp"

namespace cisolve::job {
namespace {

/// Of all products and what is made before them; none where nothing is known of that.
std::optional<double> whole_seconds(const Plan& plan) {
  if (!plan.product_seconds || !plan.making_seconds) return std::nullopt;
  return *plan.making_seconds + kProducts * *plan.product_seconds;
}

bool pays(const Plan& computed, const Plan& stored) {
  const auto whole = whole_seconds(computed);
  const auto other = whole_seconds(stored);
  return whole && other && *whole < *other;
}

}  // namespace

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
  const auto place = plans.begin() + static_cast<std::ptrdiff_t>(first);
  if (must_compute(request)) {
    computed.reason = "storage.elements names it";
    plans.insert(place, std::move(computed));
  } else if (place != plans.end() && pays(computed, *place)) {
    computed.reason =
        base::concat("a product in about ", base::human_seconds(*computed.product_seconds),
                     ", and nothing to build");
    plans.insert(place, std::move(computed));
  } else {
    computed.reason = "nothing of it is held";
    plans.push_back(std::move(computed));
  }
}

}  // namespace cisolve::job
