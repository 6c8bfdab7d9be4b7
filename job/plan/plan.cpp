#include "job/plan/plan.hpp"

#include <algorithm>

#include "base/number.hpp"
#include "base/text.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::job {
namespace {

constexpr double kNumberBytes = sizeof(double);

/// Whether the solver's vectors are over spin functions, which products transform to determinants.
bool is_among_functions(const Request& request) {
  return request.space.spin && has_determinants(request);
}

/// Traffic that transforms vectors of functions to determinants on each rank, and back.
Traffic traffic_between_bases(const EvenPortion& portion, double pieces) {
  const std::vector<double> rows = portion.rows_of_ranks();
  const TransformedVectors all{
      .functions = rows,
      .pieces_of_functions = portion.on_device ? 1.0 : portion.input.ranks(),
      .determinants = rows,
      .pieces = portion.on_device ? 1 : pieces};
  return traffic_of_transforms(all, 0, portion.input.vectors());
}

/// Bytes on the first rank, which receives the states one by one while each rank holds its rows of
/// all.
double bytes_of_results(const Request& request, double rows) {
  return kNumberBytes * rows * static_cast<double>(request.solver.states + 1);
}

/// Turns a plan for one process into that of one of several ranks, which have even portions and
/// find the states together.
void distribute_plan(const PlanInput& input, Plan& plan) {
  const auto& [request, counts, resources] = input;
  const Network& network = resources.network;
  if (network.ranks < 2) return;
  const bool functions = is_among_functions(request);
  const EvenPortion even{input, plan, plan.on_device, plan.uses_parity_basis && !functions};
  RankVectors vectors = plan.method->rank_vectors(even);
  if (functions) {
    vectors.traffic = vectors.traffic + traffic_between_bases(even, vectors.pieces);
    vectors.numbers += 2 * counts.rows;  // functions are no more than determinants
  }
  const double own = even.by_parity ? even.rows() / 2 : even.rows();
  RankPortion portion{.ranks = network.ranks,
                      .matrix = plan.demand.matrix,
                      .vectors = least_vector_bytes(request, own, plan.on_device, resources.host),
                      .gathered = whole_bytes(kNumberBytes * vectors.numbers),
                      .parity_bytes = whole_bytes(kNumberBytes * vectors.parity_numbers),
                      .results = whole_bytes(bytes_of_results(request, counts.rows)),
                      .traffic = vectors.traffic};
  portion.communication_seconds = network.seconds(portion.traffic);
  if (plan.product_seconds) {
    portion.computed_seconds = *plan.product_seconds / network.ranks;
    plan.product_seconds = *portion.computed_seconds + portion.communication_seconds;
  }
  const Index solving = portion.vectors + portion.gathered;
  plan.demand.vectors = plan.on_device ? solving : std::max(solving, portion.results);
  plan.portion = portion;
}

/// Search space of a plan; of even or odd vectors if these leave more memory.
SearchSpaceEstimate solving_by(const PlanInput& input, const Plan& plan) {
  if (!plan.fits()) return {};
  const double rows = input.counts.rows / (plan.portion ? plan.portion->ranks : 1);
  const Index gathered = plan.portion ? plan.portion->gathered - plan.portion->parity_bytes : 0;
  const Index bytes = plan.limit - plan.demand.matrix - gathered;
  const Index host = input.resources.host;
  const SearchSpaceEstimate whole =
      estimate_search_space(input.request, rows, bytes, plan.on_device, host);
  const Index parity_bytes =
      plan.portion ? plan.portion->parity_bytes : whole_bytes(2 * rows * sizeof(double));
  if (!plan.uses_parity_basis || bytes <= parity_bytes) return whole;
  const SearchSpaceEstimate even_or_odd =
      estimate_search_space(input.request, rows / 2, bytes - parity_bytes, plan.on_device, host);
  return even_or_odd.restart_penalty <= whole.restart_penalty ? even_or_odd : whole;
}

}  // namespace

std::string ProductForm::text() const {
  std::string text(method->text);
  if (method->stores) text += sparse::display_name(storage.format, storage.values);
  return text;
}

std::string Plan::text() const {
  return ProductForm::text() + (on_device ? " on the device" : " on the host");
}

std::optional<double> RankPortion::efficiency() const {
  if (!computed_seconds) return std::nullopt;
  return *computed_seconds / std::max(*computed_seconds + communication_seconds, 1e-300);
}

std::optional<double> Plan::whole_seconds() const {
  constexpr double kMovedPerSecond = 50e9;  // between a host and its device
  if (!product_seconds || !setup_seconds) return std::nullopt;
  const double moving = solving.moved / kMovedPerSecond;
  return *setup_seconds + kAssumedProducts * (solving.restart_penalty * *product_seconds + moving);
}

bool Plan::may_be_sooner_in_more_memory(const Plan& other) const {
  const auto seconds = [](const Plan& plan) {
    return plan.setup_seconds.value_or(0) + kAssumedProducts * plan.product_seconds.value_or(0);
  };
  const auto is_known = [](const Plan& plan) { return plan.product_seconds && plan.setup_seconds; };
  return !is_known(*this) || !is_known(other) || seconds(*this) < seconds(other);
}

Plan plan_of(const PlanInput& input, ProductForm form, bool on_device, std::string reason) {
  const auto& [request, counts, resources] = input;
  const ProductCost cost = form.method->cost(input, form, on_device);
  Plan plan;
  static_cast<ProductForm&>(plan) = std::move(form);
  plan.on_device = on_device;
  plan.limit = on_device ? *resources.device : resources.host;
  plan.demand = {cost.bytes, least_vector_bytes(request, counts.rows, on_device, resources.host)};
  plan.product_seconds = cost.product_seconds;
  plan.setup_seconds = cost.setup_seconds;
  plan.uses_parity_basis = cost.uses_parity_basis;
  plan.reason = std::move(reason);
  distribute_plan(input, plan);
  plan.solving = solving_by(input, plan);
  return plan;
}

bool is_sooner(const Plan& plan, const Plan& other) {
  const auto whole = plan.whole_seconds();
  const auto of_other = other.whole_seconds();
  return whole && of_other && *whole < *of_other;
}

std::string times_of(const Plan& plan) {
  return base::concat("about ", base::human_seconds(*plan.product_seconds),
                      " per product after a setup of about ",
                      base::human_seconds(*plan.setup_seconds));
}

std::string missing_memory_text(const Plan& plan, const MatrixEstimate& counts, Index host) {
  std::string missing;
  const auto add = [&](const std::string& what) {
    if (!what.empty()) missing += (missing.empty() ? "" : "; ") + what;
  };
  const Index held = plan.demand.matrix + plan.demand.vectors;
  if (!plan.fits())
    add(base::concat("each rank lacks ", base::human_bytes(held - plan.limit), " of ",
                     base::human_bytes(held)));
  if (plan.method->obstacle != nullptr) add(plan.method->obstacle(counts));
  if (plan.portion && plan.portion->results > host)
    add(base::concat("the host of rank 0 lacks ", base::human_bytes(plan.portion->results - host),
                     " of ", base::human_bytes(plan.portion->results), " for the states"));
  return missing;
}

}  // namespace cisolve::job
