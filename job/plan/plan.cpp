#include "job/plan/plan.hpp"

#include <algorithm>

#include "sparse/stored/plan.hpp"

namespace cisolve::job {
namespace {

bool names_boundary(const Request& request) {
  return request.tries_boundaries || request.storage.boundary != sparse::kAutomatic;
}

int vectors_at_once(const Request& request) {
  constexpr Index kMostAtOnce = 4;
  const Index states = request.solver.states;
  const Index vectors = states > 0 ? states : request.product.vectors;
  return static_cast<int>(std::min(vectors, kMostAtOnce));
}

struct Choice {
  const char* format;
  const char* reason;
};

// The formats in which a matrix may be stored at one place, the best one first.
std::vector<Choice> choices(const Request& request, bool on_device) {
  const sparse::FormatOptions& storage = request.storage;
  if (storage.format != "auto") return {{storage.format.c_str(), "storage.format names it"}};
  if (names_boundary(request)) return {{"hybrid", "it is the format that has a BOUNDARY"}};
  if (!on_device) return {{"hybrid", "the host's products read it in one stream"}};
  const Choice smallest{"csr", "it pads nothing"};
  if (request.source != ProblemSource::lattice)
    return {{"tiled", "its product reads least"}, smallest};
  if (vectors_at_once(request) == 1)
    return {{"csr", "rows of a lattice are short: tiles pay less"}};
  return {{"sell", "rows of a lattice are short, and several vectors share what it reads"},
          smallest};
}

sparse::FormatOptions stored_as(const Request& request, const char* format) {
  sparse::FormatOptions storage = request.storage;
  storage.format = format;
  storage.vectors = vectors_at_once(request);
  return storage;
}

void add_plans(const Request& request, const Counts& counts, bool on_device, Index limit,
               std::vector<Plan>& plans) {
  for (const Choice& choice : choices(request, on_device)) {
    const Demand demand{least_matrix(choice.format, counts), least_vectors(request, counts.rows)};
    plans.push_back({.storage = stored_as(request, choice.format),
                     .on_device = on_device,
                     .demand = demand,
                     .limit = limit,
                     .reason = choice.reason});
  }
}

}  // namespace

Resources Resources::of(const base::Backend& backend) {
  Resources resources{backend.host().memory().left()};
  if (!backend.is_host()) resources.device = backend.memory().left();
  return resources;
}

std::string Plan::text() const {
  return storage.format + (on_device ? " on the device" : " on the host");
}

std::vector<Plan> rank_plans(const Request& request, const Counts& counts,
                             const Resources& resources) {
  std::vector<Plan> plans;
  if (resources.device) add_plans(request, counts, true, *resources.device, plans);
  if (!resources.device || request.backend == "auto")
    add_plans(request, counts, false, resources.host, plans);
  return plans;
}

sparse::FormatOptions chosen_storage(const Request& request, bool on_device) {
  return stored_as(request, choices(request, on_device).front().format);
}

void count_plans(std::vector<Plan>& plans, const sparse::RowSource& rows,
                 std::span<const sparse::Column> lengths, const base::Backend& backend) {
  for (Plan& plan : plans) {
    const base::Backend place = plan.on_device ? backend : backend.host();
    plan.demand.matrix = sparse::plan_format(rows, lengths, plan.storage, place).memory.held;
  }
}

std::size_t first_fitting(const std::vector<Plan>& plans) {
  const auto found = std::ranges::find_if(plans, &Plan::fits);
  return found == plans.end() ? 0 : static_cast<std::size_t>(found - plans.begin());
}

}  // namespace cisolve::job
