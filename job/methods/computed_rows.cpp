#include "job/methods/computed_rows.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cisolve::job {
namespace {

/// Why elements of a problem without determinants cannot be computed as requested.
const char* why_not_computed(const Request& request) {
  if (!is_site_basis(request))
    return "this problem has no determinants to compute elements from; expected fcidump, trexio or "
           "lattice under 'problem:', or elements: precomputed";
  if (request.elements.path == ElementPath::on_the_fly)
    return "storage.threshold applies only to stored elements; "
           "expected elements: precomputed, or no threshold";
  return "the rows of this lattice are site configurations, of which either all or none are "
         "stored; "
         "expected elements: on-the-fly, coded or precomputed";
}

}  // namespace

ProductForm unstored_form(const Request& request, const ProductMethod& method) {
  if (!has_determinants(request) && !may_compute(request))
    base::fail(base::ErrorKind::configuration, request.origin, ": storage.elements is ",
               word_of(request.elements.path), ", but ", why_not_computed(request));
  ProductForm form{&method, request.storage};
  form.storage.vectors = vectors_at_once(request);
  return form;
}

std::vector<Plan> unstored_plan(const PlanInput& input, const ProductMethod& method, bool on_device,
                                std::string reason) {
  const bool is_named = input.request.elements.path == method.elements;
  if (is_named) reason = "set by storage.elements";
  return {plan_of(input, unstored_form(input.request, method), on_device, std::move(reason))};
}

double seconds_of_tables(Index bytes) {
  constexpr double kByte = 1.5e-9;
  return kByte * static_cast<double>(bytes);
}

const ci::HamiltonianRows& hamiltonian_of(const ProblemRows& rows) {
  return rows.determinants()->hamiltonian();
}

RankVectors gathered_vectors(const EvenPortion& portion) {
  const int ranks = portion.input.ranks();
  const double all = portion.input.counts.rows;
  return {.traffic = traffic_of_computed(portion.rows_of_ranks(), 0, portion.on_device ? 1 : ranks,
                                         portion.input.vectors()),
          .numbers = portion.on_device ? std::max(all, 2 * portion.rows()) : all,
          .pieces = static_cast<double>(ranks)};
}

PreparedProduct with_description(std::unique_ptr<base::LinearOperator> product,
                                 const base::Backend& backend, const base::Stopwatch& stopwatch) {
  MeasuredProduct description = describe_computed(*product, backend, stopwatch.seconds());
  return {std::move(product), RowsIn::canonical_order, std::move(description)};
}

ci::ComputedProductPtr computed_elements(const ProblemRows& rows, ProductDrafts& found,
                                         const base::Backend& backend) {
  found.factors.reset();
  if (found.elements) return found.elements->product(backend);
  return ci::ComputedHamiltonian(hamiltonian_of(rows)).product(backend);
}

}  // namespace cisolve::job
