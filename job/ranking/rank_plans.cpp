#include "job/ranking/rank_plans.hpp"

#include <algorithm>
#include <iterator>

#include "job/methods/methods.hpp"
#include "job/problem/product_drafts.hpp"
#include "sparse/stored/plan.hpp"

namespace cisolve::job {
namespace {

/// Inserts a plan before the first that is predicted to be slower, else at the end.
void insert_by_time(Plan plan, std::vector<Plan>& plans) {
  const auto later =
      std::ranges::find_if(plans, [&](const Plan& other) { return is_sooner(plan, other); });
  if (later != plans.end() && !plan.stores()) plan.reason = times_of(plan);
  plans.insert(later, std::move(plan));
}

// Plans that leave the search space hardly more vectors than states come last, however fast their
// products are.
void put_cramped_last(std::vector<Plan>& plans) {
  constexpr double kCramped = 10;  // times the products
  std::ranges::stable_partition(
      plans, [](const Plan& plan) { return plan.solving.restart_penalty < kCramped; });
}

std::vector<Plan> plans_at(const PlanInput& input, bool on_device) {
  std::vector<Plan> plans;
  for (const ProductMethod* method : product_methods())
    for (Plan& plan : method->offer(input, on_device)) insert_by_time(std::move(plan), plans);
  put_cramped_last(plans);
  return plans;
}

/// The method that a request names; kPrecomputed if it names none.
const ProductMethod& named_method(const Request& request) {
  const ElementPath path = request.elements.path;
  return path == ElementPath::automatic ? kPrecomputed : method_of(path);
}

}  // namespace

std::vector<Plan> rank_plans(const Request& request, const MatrixEstimate& counts,
                             const Resources& resources) {
  const PlanInput input{request, counts, resources};
  std::vector<Plan> plans;
  if (resources.device) plans = plans_at(input, true);
  if (resources.device && !request.backend.is_automatic()) return plans;
  std::ranges::move(plans_at(input, false), std::back_inserter(plans));
  if (plans.empty())
    base::fail(base::ErrorKind::internal, "no product method offers a plan for storage.elements: ",
               word_of(request.elements.path));
  return plans;
}

ProductForm chosen_form(const Request& request, const sparse::RowSource& rows,
                        const base::Backend& backend) {
  if (!named_method(request).stores) return possible_forms(request, !backend.is_host()).front();
  MatrixEstimate counts;
  counts.profile = profile_for(request, rows, backend);
  if (counts.profile) {
    counts.rows = static_cast<double>(counts.profile->rows);
    counts.nonzeros = counts.profile->nonzeros();
  }
  Request storing = request;
  storing.elements.path = named_method(request).elements;
  std::vector<Plan> plans =
      rank_plans(storing, counts, Resources::of(backend, request.machine_factors));
  std::erase_if(plans, [&](const Plan& plan) { return plan.on_device == backend.is_host(); });
  return plans[first_fitting(plans)];
}

std::vector<ProductForm> possible_forms(const Request& request, bool on_device) {
  return named_method(request).forms(request, on_device);
}

void set_exact_bytes(std::vector<Plan>& plans, const sparse::RowSource& rows,
                     std::span<const sparse::Column> lengths, const base::Backend& backend) {
  for (Plan& plan : plans) {
    if (plan.computes()) continue;
    const base::Backend place = plan.on_device ? backend : backend.host();
    const Index all = sparse::plan_format(rows, lengths, plan.storage, place).memory.held;
    plan.demand.matrix = plan.portion ? (all + plan.portion->ranks - 1) / plan.portion->ranks : all;
    if (plan.portion) plan.portion->matrix = plan.demand.matrix;
  }
}

std::size_t first_fitting(const std::vector<Plan>& plans) {
  const auto found = std::ranges::find_if(plans, &Plan::fits);
  return found == plans.end() ? 0 : static_cast<std::size_t>(found - plans.begin());
}

}  // namespace cisolve::job
