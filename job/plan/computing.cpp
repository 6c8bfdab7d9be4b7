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

bool must_factorise(const Request& request) {
  return request.elements.path == ElementPath::factorised;
}

bool must_compute(const Request& request) {
  return request.elements.path == ElementPath::on_the_fly || must_factorise(request);
}

bool names_boundary(const Request& request) {
  return request.tries_boundaries || request.storage.boundary != sparse::kAutomatic;
}

bool names_storage(const Request& request) {
  return request.storage.format != "auto" || names_boundary(request);
}

bool must_code(const Request& request) { return request.elements.path == ElementPath::coded; }

bool may_compute(const Request& request) {
  if (is_spins(request) && (request.elements.threshold > 0 || must_factorise(request)))
    return false;
  if (!is_molecular(request) && !is_spins(request)) return false;
  return must_compute(request) ||
         (request.elements.path == ElementPath::automatic && !names_storage(request));
}

namespace {

/// Why the elements of a problem without determinants are not computed as it is asked for.
const char* why_not_computed(const Request& request) {
  if (!is_spins(request))
    return "this problem has no determinants to compute elements from; expected fcidump, trexio or "
           "lattice under 'problem:', or elements: precomputed";
  if (request.elements.path == ElementPath::on_the_fly)
    return "storage.threshold leaves elements out, which can be done of stored ones alone; "
           "expected "
           "elements: precomputed, or no threshold";
  return "rows of this lattice are words, not determinants, and are stored or computed all alike; "
         "expected elements: on-the-fly, coded or precomputed";
}

}  // namespace

sparse::FormatOptions not_stored(const Request& request) {
  if (!is_molecular(request) && !may_compute(request))
    base::fail(base::Fault::configuration, request.origin, ": storage.elements is ",
               word_of(request.elements.path), ", but ", why_not_computed(request));
  sparse::FormatOptions storage = request.storage;
  storage.format = must_factorise(request) ? kFactors : kNotStored;
  storage.vectors = vectors_at_once(request);
  return storage;
}

namespace {

/// That holds nothing, or string matrices.
Plan computed_plan(const Request& request, const Counts& counts, const Resources& resources,
                   bool on_device, bool factorised) {
  Plan plan{.elements = factorised ? ElementPath::factorised : ElementPath::on_the_fly,
            .storage = not_stored(request),
            .on_device = on_device,
            .limit = on_device ? *resources.device : resources.host,
            .reason = {}};
  plan.storage.format = factorised ? kFactors : kNotStored;
  if (factorised && counts.factors)
    plan.demand.matrix = counts.factors->bytes + (on_device ? counts.factors->turned : 0) +
                         (resources.network.ranks > 1 ? counts.factors->apart : 0);
  if (!factorised) plan.demand.matrix = counts.work ? counts.work->bytes : 0;
  plan.demand.vectors = least_vectors(request, counts.rows, on_device, resources.host);
  predict(request, counts, resources, plan);
  share_out(request, counts, resources, plan);
  plan.solving = solving_by(request, counts, resources, plan);
  return plan;
}

}  // namespace

void add_computed(const Request& request, const Counts& counts, const Resources& resources,
                  bool on_device, std::size_t first, std::vector<Plan>& plans) {
  const auto begin = [&] { return plans.begin() + static_cast<std::ptrdiff_t>(first); };
  if (must_compute(request)) {
    Plan plan = computed_plan(request, counts, resources, on_device, must_factorise(request));
    plan.reason = "storage.elements names it";
    plans.insert(begin(), std::move(plan));
    return;
  }
  for (const bool factorised : {false, true}) {
    if (factorised && !counts.factors) continue;
    Plan plan = computed_plan(request, counts, resources, on_device, factorised);
    const auto place =
        std::find_if(begin(), plans.end(), [&](const Plan& other) { return pays(plan, other); });
    if (place != plans.end()) plan.reason = times_of(plan);
    if (place == plans.end()) plan.reason = factorised ? "little is held" : "nothing of it is held";
    plans.insert(place, std::move(plan));
  }
}

}  // namespace cisolve::job
