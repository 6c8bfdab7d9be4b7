#include "job/problem/product_drafts.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/openmp/background.hpp"
#include "job/request/elements.hpp"
#include "job/request/shortage.hpp"

namespace cisolve::job {
namespace {

void require_factors(const Request& request, const ci::HamiltonianRows& h) {
  if (!must_factorise(request) || ci::may_factorise(h)) return;
  base::fail(
      base::ErrorKind::configuration, request.origin, ": storage.elements is ",
      word_of(ElementPath::factorised),
      ", which needs full CI, one irrep of it or a product of string lists, without a ",
      "storage.threshold; expected such a space, or elements: ", word_of(ElementPath::on_the_fly));
}

/// Cost for site states: half of the moves apply to a state. Each gives a state that is looked up;
/// with symmetries, every operation is applied to it.
ci::ComputedCost work_of(const ci::SiteModelRows& rows) {
  const auto& sector = rows.basis().sector();
  const double operations = sector ? static_cast<double>(sector->operations.size()) : 1;
  const double words = static_cast<double>(rows.model().moves.size()) / 2;
  ci::ComputedCost work;
  work.walk.look_ups = static_cast<double>(rows.shape().rows) * words;
  work.walk.images = work.walk.look_ups * operations;
  return work;
}

/// Whether a choice depends on the rows, on any backend.
bool asks_for_rows(const Request& request, const base::Backend& backend) {
  return depends_on_rows(request) || !backend.is_host() || may_wait_for_a_device(request);
}

/// Null if memory is short for the analysis: then nothing is known.
template <class Found>
std::unique_ptr<Found> found_in(const ci::HamiltonianRows& h) {
  auto found = if_memory_allows(MemoryOf::any, [&] { return std::make_unique<Found>(h); });
  return found ? *std::move(found) : nullptr;
}

}  // namespace

std::unique_ptr<base::LinearOperator> distributed_site_product(const base::Communicator& ranks,
                                                               const base::Layout& layout,
                                                               const ci::SiteModelRows& rows,
                                                               const base::Backend& host) {
  auto product =
      ci::site_product_of_rows(rows, layout.first_of(ranks.rank()), layout.count(ranks.rank()));
  return base::make_distributed_operator(ranks, layout, std::move(product), host);
}

std::optional<sparse::RowProfile> profile_for(const Request& request, const sparse::RowSource& rows,
                                              const base::Backend& backend) {
  if (!leaves_format(request) || !asks_for_rows(request, backend)) return std::nullopt;
  if (rows.shape().rows > base::kLargestDimension) return std::nullopt;
  return if_memory_allows(MemoryOf::any, [&] {  // unknown if memory is short
    return sparse::sample_profile(rows, vectors_at_once(request), backend.host());
  });
}

void ProductDrafts::write_costs(const base::Backend& backend, MatrixEstimate& counts) const {
  if (elements) counts.work = elements->work();
  if (work) counts.work = work;
  if (factors) counts.factors = factors->work(backend);
}

ProductDrafts draft_products(const Request& request, const ProblemRows& rows,
                             const std::optional<sparse::RowProfile>& profile) {
  ProductDrafts found;
  if (const SiteProblemRows* spins = rows.sites()) found.work = work_of(spins->model_rows());
  if (!learns_anywhere(request) || rows.determinants() == nullptr) return found;
  const ci::HamiltonianRows& h = rows.determinants()->hamiltonian();
  require_factors(request, h);
  if (profile && profile->nonzeros() < kLeastElements) return found;
  const bool must = must_factorise(request);
  const bool factorises =
      (must || request.elements.path == ElementPath::automatic) && ci::may_factorise(h);
  const auto find_elements = [&h] { return found_in<ci::ComputedHamiltonian>(h); };
  const bool has_both = !must && factorises;
  auto elements = base::run_in_background_if(has_both && ci::is_analysed_concurrently(h.space()),
                                             h.space().host(), find_elements);
  if (factorises) found.factors = found_in<ci::FactorisedHamiltonian>(h);
  if (!must) found.elements = elements.get();
  return found;
}

ProductDrafts estimate_products(const Request& request, const ProblemRows& rows,
                                const base::Backend& backend, MatrixEstimate& counts) {
  // String matrices do not depend on the profile of the rows.
  const auto take_sample = [&] {
    return must_factorise(request) ? std::nullopt : profile_for(request, *rows, backend);
  };
  // If the analysis takes long, there are more than kLeastElements: it does not wait for the
  // profile.
  const DeterminantProblem* molecule = determinant_problem_of(rows);
  const bool is_long = molecule != nullptr && ci::is_analysed_concurrently(molecule->space);
  auto sample = base::run_in_background_if(is_long, backend.host(), take_sample);
  if (!is_long) counts.profile = sample.get();
  ProductDrafts found = draft_products(request, rows, counts.profile);
  if (is_long) counts.profile = sample.get();
  if (counts.profile) counts.nonzeros = std::max(counts.nonzeros, counts.profile->nonzeros());
  return found;
}

ProductDrafts estimate_counts(const Request& request, const ProblemRows& rows,
                              const base::Backend& backend, MatrixEstimate& counts) {
  ProductDrafts found = estimate_products(request, rows, backend, counts);
  found.write_costs(backend, counts);
  return found;
}

}  // namespace cisolve::job
