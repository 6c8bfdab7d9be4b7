#include <algorithm>

#include "base/ranks/distributed_operator.hpp"
#include "ci/hamiltonian/on_the_fly/item_distribution.hpp"
#include "ci/hamiltonian/on_the_fly/product_seconds.hpp"
#include "job/methods/computed_rows.hpp"
#include "job/methods/stored.hpp"
#include "job/problem/source.hpp"

// Products that compute every element: for determinants by the algorithms of
// ci/hamiltonian/on_the_fly, for site states one by one.
namespace cisolve::job {
namespace {

/// Plans that compute every element, also in place of mixed elements if there are too many rows to
/// store any.
std::vector<Plan> offer_computed(const PlanInput& input, bool on_device) {
  const Request& request = input.request;
  const bool is_named = request.elements.path == ElementPath::on_the_fly;
  const bool is_left = may_compute(request) && !must_compute(request);
  const bool stands_in = must_mix(request) && (!is_storable(input) || is_site_basis(request));
  if (!is_named && !is_left && !stands_in) return {};
  return unstored_plan(input, kOnTheFly, on_device, "no elements are stored");
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
  const ci::ComputedCost& work = *counts.work;
  const MachineFactors& factors = resources.factors(on_device);
  const double seconds =
      on_device
          ? ci::computed_seconds_on_device(work, counts.rows, input.vectors(), *resources.rates)
          : ci::computed_seconds_on_host(work, counts.rows, counts.nonzeros, input.vectors(),
                                         resources.threads);
  found.product_seconds = (work.by_blocks ? factors.blocks : factors.rows) * seconds;
  return found;
}

PreparedProduct build_computed(const BuildInput& input) {
  const base::Stopwatch stopwatch;
  if (const SiteProblemRows* spins = input.rows.sites())
    return with_description(ci::site_product(spins->model_rows(), input.backend), input.backend,
                            stopwatch);
  return with_description(computed_elements(input.rows, input.computed, input.backend),
                          input.backend, stopwatch);
}

DistributedProduct build_distributed_on_the_fly(const base::Communicator& ranks,
                                                const BuildInput& input) {
  const base::Backend& backend = input.backend;
  return build_collectively(ranks, backend, [&] {
    const base::Stopwatch stopwatch;
    if (const SiteProblemRows* spins = input.rows.sites()) {
      const base::Layout layout = base::Layout::even(input.rows->shape().rows, ranks.size());
      return DistributedProduct{
          with_description(distributed_site_product(ranks, layout, spins->model_rows(), backend),
                           backend, stopwatch),
          layout};
    }
    ci::ComputedProductPtr items = computed_elements(input.rows, input.computed, backend);
    const base::Layout layout = ci::distribute_items(items->items(), ranks.size());
    ci::keep_items_of(*items, layout, ranks.rank());
    return DistributedProduct{
        with_description(base::make_distributed_operator(ranks, layout, std::move(items), backend),
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
                              .rank_vectors = gathered_vectors,
                              .build = build_computed,
                              .build_distributed = build_distributed_on_the_fly};

}  // namespace cisolve::job
