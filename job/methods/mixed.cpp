#include <algorithm>
#include <limits>

#include "base/number.hpp"
#include "base/ranks/distributed_operator.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "ci/hamiltonian/on_the_fly/item_distribution.hpp"
#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"
#include "job/methods/computed_rows.hpp"
#include "job/methods/stored.hpp"

// Products that store the elements of some rows and compute those of the others each time.
namespace cisolve::job {
namespace {

constexpr double kLeastPart = 0.05;  // smallest stored part that pays
constexpr Index kVectors = 3;        // memory left for vectors, in units of a job's minimum

ProductForm on_the_fly() { return {&kOnTheFly, {}}; }

ProductForm all_stored(const ProductForm& form) {
  ProductForm stored = stored_form(form.storage);
  stored.storage.share.reset();
  return stored;
}

/// Bytes of all elements of a rank, if they were stored.
double bytes_of_all(const PlanInput& input, const sparse::FormatOptions& storage) {
  return std::max(1.0, input.counts.nonzeros * ci::bytes_of_nonzero(storage) / input.ranks());
}

/// Fraction of all elements that a form stores.
double part_of(const PlanInput& input, const ProductForm& form) {
  const sparse::StoredFraction& share = *form.storage.share;
  return std::min(share.elements,
                  static_cast<double>(share.bytes) / bytes_of_all(input, form.storage));
}

std::optional<double> sum(std::optional<double> one, double of_one, std::optional<double> other,
                          double of_other) {
  if (!one || !other) return std::nullopt;
  return of_one * *one + of_other * *other;
}

/// Cost of both parts; the computed one has the same tables however little it computes.
ProductCost mixed_cost(const PlanInput& input, const ProductForm& form, bool on_device) {
  const ProductForm all = all_stored(form);
  const ProductCost stored = all.method->cost(input, all, on_device);
  const ProductCost computed = kOnTheFly.cost(input, on_the_fly(), on_device);
  const double part = part_of(input, form);
  return {.bytes = computed.bytes + whole_bytes(part * bytes_of_all(input, form.storage)),
          .product_seconds = sum(stored.product_seconds, part, computed.product_seconds, 1 - part),
          .setup_seconds = sum(stored.setup_seconds, part, computed.setup_seconds, 1)};
}

/// A plan that stores as many elements of `stored` as fit in memory besides the tables and vectors
/// of `computed`.
Plan mixed_plan(const PlanInput& input, const Plan& stored, const Plan& computed) {
  const Index left = std::max<Index>(0, stored.limit - computed.demand.matrix);
  const Index vectors = std::min(kVectors * computed.demand.vectors, left);
  ProductForm form{&kMixed, stored.storage};
  form.storage.share = {
      .elements = input.request.elements.share.value_or(1),
      .bytes = std::min(ci::storable_bytes(left, stored.on_device), left - vectors)};
  Plan plan = plan_of(input, std::move(form), stored.on_device);
  plan.reason =
      base::concat("about ", base::percent(part_of(input, plan)), " of the elements are stored");
  if (plan.whole_seconds()) plan.reason += ", " + times_of(plan);
  return plan;
}

/// Whether the part that can be stored is large enough to matter.
bool fits_beside_stored(const Plan& plan, const Plan& stored) {
  const auto part = static_cast<double>(plan.storage.share->bytes);
  return plan.fits() && part > kLeastPart * static_cast<double>(stored.demand.matrix);
}

double seconds_of(const Plan& plan) {
  return plan.whole_seconds().value_or(std::numeric_limits<double>::infinity());
}

/// All mixed plans if the request names them. If it leaves the choice, the best plan for a matrix
/// that does not fit as a whole, unless computing all elements is faster.
std::vector<Plan> offer_mixed(const PlanInput& input, bool on_device) {
  const Request& request = input.request;
  const bool wanted = must_mix(request);
  if ((!wanted && !may_compute(request)) || must_compute(request)) return {};
  if (!is_storable(input) || is_site_basis(request)) return {};
  const Plan computed = plan_of(input, unstored_form(request, kOnTheFly), on_device);
  std::vector<Plan> plans;
  for (const Plan& stored : stored_plans(input, on_device)) {
    Plan plan = mixed_plan(input, stored, computed);
    if (wanted || (!stored.fits() && fits_beside_stored(plan, stored)))
      plans.push_back(std::move(plan));
  }
  std::ranges::stable_sort(plans, {}, seconds_of);
  if (wanted || plans.empty()) return plans;
  if (seconds_of(plans.front()) > seconds_of(computed)) return {};
  plans.resize(1);
  return plans;
}

std::vector<ProductForm> mixed_forms(const Request& request, bool on_device) {
  std::vector<ProductForm> forms = possible_stored_forms(request, on_device);
  for (ProductForm& form : forms) {
    form.method = &kMixed;
    form.storage.share = {.elements = request.elements.share.value_or(1)};
  }
  return forms;
}

PreparedProduct build_mixed(const BuildInput& input) {
  const base::Stopwatch stopwatch;
  auto mixed = std::make_unique<ci::PartlyStoredProduct>(
      hamiltonian_of(input.rows), computed_elements(input.rows, input.computed, input.backend),
      input.form.storage, input.backend);
  MeasuredProduct description = describe_mixed(*mixed, input.backend, stopwatch.seconds());
  return {std::move(mixed), RowsIn::canonical_order, std::move(description)};
}

/// Each rank stores a fraction of its own rows, in its own memory.
DistributedProduct build_distributed_mixed(const base::Communicator& ranks,
                                           const BuildInput& input) {
  return build_collectively(ranks, input.backend, [&] {
    const base::Stopwatch stopwatch;
    const ci::HamiltonianRows& h = hamiltonian_of(input.rows);
    ci::ComputedProductPtr items = computed_elements(input.rows, input.computed, input.backend);
    base::Layout layout = ci::distribute_items(items->items(), ranks.size());
    ci::keep_items_of(*items, layout, ranks.rank());
    auto mixed = std::make_unique<ci::PartlyStoredProduct>(h, std::move(items), input.form.storage,
                                                           input.backend);
    mixed->begin_y_with(layout.first_of(ranks.rank()));
    const ci::PartlyStoredProduct& part = *mixed;
    auto product = base::make_distributed_operator(ranks, layout, std::move(mixed), input.backend);
    MeasuredProduct description = describe_mixed(part, input.backend, stopwatch.seconds());
    return DistributedProduct{{std::move(product), RowsIn::canonical_order, std::move(description)},
                              std::move(layout)};
  });
}

}  // namespace

const ProductMethod kMixed{.elements = ElementPath::mixed,
                           .text = "partly ",
                           .stores = true,
                           .computes = true,
                           .offer = offer_mixed,
                           .forms = mixed_forms,
                           .cost = mixed_cost,
                           .rank_vectors = gathered_vectors,
                           .build = build_mixed,
                           .build_distributed = build_distributed_mixed};

}  // namespace cisolve::job
