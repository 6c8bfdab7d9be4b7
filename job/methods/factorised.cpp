#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "base/text.hpp"
#include "ci/fock/spaces/string_partition.hpp"
#include "ci/hamiltonian/factorised/opposite_spin_view.hpp"
#include "ci/hamiltonian/factorised/product_seconds.hpp"
#include "ci/hamiltonian/parity/swap_partition.hpp"
#include "job/methods/computed_rows.hpp"

// Products without elements of H: from string matrices of the same-spin and opposite-spin parts,
// H = H_aa + H_bb + H_ab.
namespace cisolve::job {
namespace {

std::vector<Plan> offer_factorised(const PlanInput& input, bool on_device) {
  const Request& request = input.request;
  const bool is_offered = may_compute(request) && !must_compute(request) && input.counts.factors;
  if (!must_factorise(request) && !is_offered) return {};
  return unstored_plan(input, kFactorised, on_device, "only string matrices are stored");
}

std::vector<ProductForm> factorised_forms(const Request& request, bool /*on_device*/) {
  return {unstored_form(request, kFactorised)};
}

/// Whether the state is solved in the basis of one parity under alpha-beta exchange: only a single
/// lowest state is.
bool uses_parity_basis_for(const Request& request, const MatrixEstimate& counts) {
  const Request::Solver& solver = request.solver;
  return counts.factors && counts.factors->has_parity && solver.states == 1 && !solver.near &&
         solver.follow.empty() &&
         (solver.method == solver::Method::automatic || solver.method == solver::Method::davidson);
}

/// Each rank holds all string matrices.
ProductCost factorised_cost(const PlanInput& input, const ProductForm& /*form*/, bool on_device) {
  const auto& [request, counts, resources] = input;
  ProductCost found;
  if (counts.factors)
    found.bytes = counts.factors->bytes + (on_device ? counts.factors->transposed : 0) +
                  (input.ranks() > 1 ? counts.factors->distributed_bytes : 0);
  found.setup_seconds = seconds_of_tables(found.bytes);
  found.uses_parity_basis = uses_parity_basis_for(request, counts);
  if (!counts.factors || (on_device && !resources.rates)) return found;
  const double of_one = on_device
                            ? ci::factorised_seconds_on_device(*counts.factors, *resources.rates)
                            : ci::factorised_seconds_on_host(*counts.factors, resources.threads);
  found.product_seconds = input.vectors() * of_one;
  return found;
}

double pieces_of(const EvenPortion& portion) {
  return static_cast<double>(ci::StringPartition::kRunsOfRank) * portion.input.ranks();
}

/// Elements in the staging buffer for the exchange of images between ranks.
double staged_elements(const EvenPortion& portion) {
  const MatrixEstimate& counts = portion.input.counts;
  const auto strings = static_cast<double>((portion.input.ranks() - 1) * counts.factors->longest);
  return std::max(
      strings, static_cast<double>(ci::SwapPartition::staged_of(static_cast<Index>(counts.rows))));
}

/// Estimate for one list of beta strings in even portions: for up to half of a rank's rows, the
/// alpha-beta swapped rows are on other ranks.
Traffic traffic_in_parity_basis(const EvenPortion& portion) {
  const int ranks = portion.input.ranks();
  const std::vector<double> rows_by_rank(ranks, portion.rows() / 2);
  const double of_others = portion.rows() / 2 * (ranks - 1);
  const double of_each = of_others / ranks;
  const double rounds = std::ceil(of_others / std::max(portion.rows(), staged_elements(portion)));
  return traffic_of_parity({.rows_by_rank = rows_by_rank,
                            .pieces = rounds * (portion.on_device ? 1 : ranks),
                            .sent = of_each,
                            .received = of_each},
                           0, portion.input.vectors());
}

/// At Ms = 0 ranks also exchange the alpha-beta swapped rows. Estimate for one list of beta strings
/// in even portions; several lists cost the same in total.
Traffic traffic_of_whole(const EvenPortion& portion) {
  const int ranks = portion.input.ranks();
  const double strings = std::sqrt(portion.input.counts.rows);
  const std::vector<FlippedStrings> all = {
      {std::vector<double>(ranks, strings / ranks), std::vector<double>(ranks, strings / ranks)}};
  const auto& factors = portion.input.counts.factors;
  SwapTraffic flipped;
  if (factors && factors->has_parity)
    flipped = {.strings = all, .times = portion.on_device ? 1 : 2, .sums = 1};
  return traffic_of_factorised(portion.rows_of_ranks(), 0,
                               portion.on_device ? 1 : pieces_of(portion), flipped,
                               portion.input.vectors());
}

RankVectors factorised_vectors(const EvenPortion& portion) {
  const auto& factors = portion.input.counts.factors;
  const bool has_parity = factors && factors->has_parity;
  RankVectors found;
  found.traffic = portion.by_parity ? traffic_in_parity_basis(portion) : traffic_of_whole(portion);
  if (portion.by_parity)  // an image, and coefficients of other ranks
    found.parity_numbers =
        std::max(portion.rows(), staged_elements(portion)) + staged_elements(portion);
  const double whole = std::max(portion.input.counts.rows, 2 * portion.rows());
  const double flipped = has_parity && !portion.on_device ? portion.rows() : 0;
  found.numbers = whole + flipped + found.parity_numbers;
  found.pieces = pieces_of(portion);
  return found;
}

std::unique_ptr<ci::FactorisedHamiltonian> factors_of(const BuildInput& input) {
  ProductDrafts& found = input.computed;
  found.elements.reset();
  if (found.factors) return std::move(found.factors);
  return std::make_unique<ci::FactorisedHamiltonian>(hamiltonian_of(input.rows));
}

PreparedProduct build_factorised(const BuildInput& input) {
  const base::Stopwatch stopwatch;
  return with_description(std::move(*factors_of(input)).product(input.backend), input.backend,
                          stopwatch);
}

DistributedProduct distribute_factorised(const base::Communicator& ranks, const BuildInput& input) {
  return build_collectively(ranks, input.backend, [&] {
    const base::Stopwatch stopwatch;
    base::DistributedOperator shared =
        std::move(*factors_of(input)).distributed_product(ranks, input.backend);
    return DistributedProduct{with_description(std::move(shared.product), input.backend, stopwatch),
                              std::move(shared.layout)};
  });
}

std::string obstacle(const MatrixEstimate& counts) {
  constexpr Index most = ci::ScatterTarget::kMostTargets;
  if (!counts.factors || counts.factors->longest <= most) return "";
  return base::concat("an alpha string has ", base::grouped(counts.factors->longest),
                      " beta strings; the factorised product supports at most ",
                      base::grouped(most));
}

}  // namespace

const ProductMethod kFactorised{.elements = ElementPath::factorised,
                                .text = "factorised",
                                .stores = false,
                                .computes = true,
                                .offer = offer_factorised,
                                .forms = factorised_forms,
                                .cost = factorised_cost,
                                .rank_vectors = factorised_vectors,
                                .build = build_factorised,
                                .build_distributed = distribute_factorised,
                                .obstacle = obstacle};

}  // namespace cisolve::job
