#include "job/plan/mixing.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/number.hpp"
#include "ci/on_the_fly/mixed.hpp"
#include "job/plan/computing.hpp"
#include "job/plan/prediction.hpp"

namespace cisolve::job {
namespace {

constexpr double kLeastShare = 0.05;  // that is worth two ways of having elements
constexpr Index kVectors = 3;         // times those that a job holds at least are left room for

/// With part of its elements stored as `stored` stores all, and computed as `computed` does.
Plan mixed_of(const Request& request, const Plan& stored, const Plan& computed,
              const Counts& counts, const Resources& resources) {
  Plan plan = stored;
  plan.elements = ElementPath::mixed;
  sparse::Share share = share_of(request);
  const Index left = std::max<Index>(0, stored.limit - computed.demand.matrix);
  const Index vectors = std::min(kVectors * computed.demand.vectors, left);
  share.bytes = std::min(ci::room_to_store(left, stored.on_device), left - vectors);
  const int ranks = stored.share ? stored.share->ranks : 1;
  const double whole =
      std::max(1.0, counts.nonzeros * ci::bytes_of_nonzero(stored.storage) / ranks);
  const double part = std::min(share.elements, static_cast<double>(share.bytes) / whole);
  plan.storage.share = share;
  plan.demand = {computed.demand.matrix + whole_bytes(part * whole), computed.demand.vectors};
  predict_mixed(stored, computed, part, plan);
  if (stored.share && computed.share) share_mixed(*stored.share, *computed.share, part, plan);
  plan.solving = solving_by(request, counts, resources, plan);
  plan.reason = base::concat("about ", base::percent(part), " of its elements are stored");
  if (plan.whole_seconds()) plan.reason += ", " + times_of(plan);
  return plan;
}

/// Whether so much can be stored that it matters.
bool has_room(const Plan& plan, const Plan& stored) {
  const auto part = static_cast<double>(plan.storage.share->bytes);
  return plan.fits() && part > kLeastShare * static_cast<double>(stored.demand.matrix);
}

double seconds_of(const Plan& plan) {
  return plan.whole_seconds().value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

bool must_mix(const Request& request) { return request.elements.path == ElementPath::mixed; }

sparse::Share share_of(const Request& request) {
  return {.elements = request.elements.share.value_or(1)};
}

void add_mixed(const Request& request, const Counts& counts, const Resources& resources,
               std::size_t first, std::vector<Plan>& plans) {
  const auto begin = plans.begin() + static_cast<std::ptrdiff_t>(first);
  const auto place = std::find_if(begin, plans.end(), [](const Plan& plan) {
    return plan.elements == ElementPath::on_the_fly;
  });
  if (place == plans.end()) return;
  const Plan& computed = *place;
  std::vector<Plan> mixed;
  for (auto plan = begin; plan != plans.end(); ++plan) {
    if (plan->computes()) continue;
    const Plan one = mixed_of(request, *plan, computed, counts, resources);
    if (must_mix(request) || (!plan->fits() && has_room(one, *plan))) mixed.push_back(one);
  }
  std::ranges::stable_sort(mixed, {}, seconds_of);
  if (must_mix(request)) {
    plans.erase(begin, plans.end());
    plans.insert(plans.end(), mixed.begin(), mixed.end());
  } else if (!mixed.empty() && seconds_of(mixed.front()) <= seconds_of(computed)) {
    // Where computing all is no match for storing all, a part of either is between them.
    const Plan& best = mixed.front();
    plans.insert(std::find_if(begin, place, [&](const Plan& plan) { return pays(best, plan); }),
                 best);
  }
}

}  // namespace cisolve::job
