#include <algorithm>

#include "base/ranks/shared_operator.hpp"
#include "ci/hamiltonian/on_the_fly/item_shares.hpp"
#include "ci/hamiltonian/on_the_fly/product_seconds.hpp"
#include "job/methods/computed_rows.hpp"
#include "job/methods/stored.hpp"
#include "job/problem/source.hpp"

// Products that compute every element: of determinants by one of the ways of
// ci/hamiltonian/on_the_fly, of spins word by word.
namespace cisolve::job {
namespace {

/// Computing all also stands in for mixed elements if there are too many rows to store any.
std::vector<Plan> offer_computed(const PlanInput& input, bool on_device) {
  const Request& request = input.request;
  const bool is_named = request.elements.path == ElementPath::on_the_fly;
  const bool is_left = may_compute(request) && !must_compute(request);
  const bool stands_in = must_mix(request) && (!is_storable(input) || is_spins(request));
  if (!is_named && !is_left && !stands_in) return {};
  return unstored_plan(input, kOnTheFly, on_device, "nothing of it is held");
}

std::vector<ProductForm> computed_forms(const Request& request, bool /*on_device*/) {
  return {unstored_form(request, kOnTheFly)};
}

ProductCost computed_cost(const PlanInput& input, const ProductForm& /*form*/, bool on_device) {
  const auto& [request, counts, resources] = input;
  ProductCost found;
  found.bytes = counts.work ? counts.work->bytes : 0;
  found.setup_seconds = seconds_of_tables(found.bytes);
  if (!counts.work || (on_device && !resources.rates)) return found;
  const ci::ProductWork& work = *counts.work;
  const Pace& pace = resources.pace(on_device);
  const double seconds =
      on_device
          ? ci::computed_seconds_on_device(work, counts.rows, input.vectors(), *resources.rates)
          : ci::computed_seconds_on_host(work, counts.rows, counts.nonzeros, input.vectors(),
                                         resources.threads);
  found.product_seconds = (work.by_blocks ? pace.blocks : pace.rows) * seconds;
  return found;
}

PreparedProduct build_computed(const BuildInput& input) {
  const base::Stopwatch stopwatch;
  if (const SpinProblemRows* spins = input.rows.sites())
    return described(ci::spin_product(spins->spins(), input.backend), input.backend, stopwatch);
  return described(computed_elements(input.rows, input.computed, input.backend), input.backend,
                   stopwatch);
}

SharedProduct share_computed(const base::Communicator& ranks, const BuildInput& input) {
  const base::Backend& backend = input.backend;
  return build_collectively(ranks, backend, [&] {
    const base::Stopwatch stopwatch;
    if (const SpinProblemRows* spins = input.rows.sites()) {
      const base::Layout layout = base::Layout::even(input.rows->shape().rows, ranks.size());
      return SharedProduct{
          described(shared_spins(ranks, layout, spins->spins(), backend), backend, stopwatch),
          layout};
    }
    ci::Operator items = computed_elements(input.rows, input.computed, backend);
    const base::Layout layout = ci::share_items(items->items(), ranks.size());
    ci::keep_items_of(*items, layout, ranks.rank());
    return SharedProduct{described(base::share_of_rows(ranks, layout, std::move(items), backend),
                                   backend, stopwatch),
                         layout};
  });
}

}  // namespace

const ProductMethod kOnTheFly{.elements = ElementPath::on_the_fly,
                              .text = "computed",
                              .stores = false,
                              .computes = true,
                              .offer = offer_computed,
                              .forms = computed_forms,
                              .cost = computed_cost,
                              .vectors = estimate_of_gathering,
                              .build = build_computed,
                              .share = share_computed};

}  // namespace cisolve::job
