#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "base/text.hpp"
#include "ci/fock/spaces/dealt_strings.hpp"
#include "ci/hamiltonian/factorised/couplings_view.hpp"
#include "ci/hamiltonian/factorised/product_seconds.hpp"
#include "ci/hamiltonian/parity/flip_shares.hpp"
#include "job/methods/computed_rows.hpp"

// Products with string matrices in place of elements: H = H_alpha + H_beta + couplings of both.
namespace cisolve::job {
namespace {

std::vector<Plan> offer_factorised(const PlanInput& input, bool on_device) {
  const Request& request = input.request;
  const bool is_left = may_compute(request) && !must_compute(request) && input.counts.factors;
  if (!must_factorise(request) && !is_left) return {};
  return unstored_plan(input, kFactorised, on_device, "little is held");
}

std::vector<ProductForm> factorised_forms(const Request& request, bool /*on_device*/) {
  return {unstored_form(request, kFactorised)};
}

/// One state, which is even or odd under the exchange of spins, is found among such vectors.
bool is_found_among_halves(const Request& request, const Counts& counts) {
  const Request::Solver& solver = request.solver;
  return counts.factors && counts.factors->flips && solver.states == 1 && !solver.near &&
         solver.follow.empty() &&
         (solver.method == solver::Method::automatic || solver.method == solver::Method::davidson);
}

/// String matrices are the same on each rank.
ProductCost factorised_cost(const PlanInput& input, const ProductForm& /*form*/, bool on_device) {
  const auto& [request, counts, resources] = input;
  ProductCost found;
  if (counts.factors)
    found.bytes = counts.factors->bytes + (on_device ? counts.factors->turned : 0) +
                  (input.ranks() > 1 ? counts.factors->apart : 0);
  found.setup_seconds = seconds_of_tables(found.bytes);
  found.halves_vectors = is_found_among_halves(request, counts);
  if (!counts.factors || (on_device && !resources.rates)) return found;
  const double of_one = on_device
                            ? ci::factorised_seconds_on_device(*counts.factors, *resources.rates)
                            : ci::factorised_seconds_on_host(*counts.factors, resources.threads);
  found.product_seconds = input.vectors() * of_one;
  return found;
}

double pieces_of(const EvenShare& share) {
  return static_cast<double>(ci::DealtStrings::kRunsOfRank) * share.input.ranks();
}

/// Numbers of an image that are staged where ranks tell each other halves of it.
double staged(const EvenShare& share) {
  const Counts& counts = share.input.counts;
  const auto strings = static_cast<double>((share.input.ranks() - 1) * counts.factors->longest);
  return std::max(strings,
                  static_cast<double>(ci::FlipShares::staged_of(static_cast<Index>(counts.rows))));
}

/// As an even share of one list: half of the own halves have flips in rows of other ranks.
Traffic traffic_of_halves(const EvenShare& share) {
  const int ranks = share.input.ranks();
  const std::vector<double> halves(ranks, share.rows() / 2);
  const double of_others = share.rows() / 2 * (ranks - 1);
  const double told = of_others / ranks;
  const double rounds = std::ceil(of_others / std::max(share.rows(), staged(share)));
  return halved_product({.halves = halves,
                         .pieces = rounds * (share.on_device ? 1 : ranks),
                         .sent = told,
                         .received = told},
                        0, share.input.vectors());
}

/// Vectors of as many electrons of either spin are flipped. As an even share of one list has them;
/// others cost as much together.
Traffic traffic_of_whole(const EvenShare& share) {
  const int ranks = share.input.ranks();
  const double strings = std::sqrt(share.input.counts.rows);
  const std::vector<FlippedStrings> all = {
      {std::vector<double>(ranks, strings / ranks), std::vector<double>(ranks, strings / ranks)}};
  const auto& factors = share.input.counts.factors;
  FlippedVectors flipped;
  if (factors && factors->flips)
    flipped = {.strings = all, .times = share.on_device ? 1 : 2, .sums = 1};
  return factorised_product(share.rows_of_ranks(), 0, share.on_device ? 1 : pieces_of(share),
                            flipped, share.input.vectors());
}

SharedVectors factorised_vectors(const EvenShare& share) {
  const auto& factors = share.input.counts.factors;
  const bool flips = factors && factors->flips;
  SharedVectors found;
  found.traffic = share.by_halves ? traffic_of_halves(share) : traffic_of_whole(share);
  if (share.by_halves)  // an image, and halves of others
    found.beside = std::max(share.rows(), staged(share)) + staged(share);
  const double whole = std::max(share.input.counts.rows, 2 * share.rows());
  const double flipped = flips && !share.on_device ? share.rows() : 0;
  found.numbers = whole + flipped + found.beside;
  found.pieces = pieces_of(share);
  return found;
}

std::unique_ptr<ci::FactorisedHamiltonian> factors_of(const BuildInput& input) {
  Computed& found = input.computed;
  found.elements.reset();
  if (found.factors) return std::move(found.factors);
  return std::make_unique<ci::FactorisedHamiltonian>(hamiltonian_of(input.rows));
}

PreparedProduct build_factorised(const BuildInput& input) {
  const base::Stopwatch stopwatch;
  return described(std::move(*factors_of(input)).product(input.backend), input.backend, stopwatch);
}

SharedProduct share_factorised(const base::Communicator& ranks, const BuildInput& input) {
  return build_collectively(ranks, input.backend, [&] {
    const base::Stopwatch stopwatch;
    base::SharedOperator shared =
        std::move(*factors_of(input)).shared_product(ranks, input.backend);
    return SharedProduct{described(std::move(shared.product), input.backend, stopwatch),
                         std::move(shared.layout)};
  });
}

std::string obstacle(const Counts& counts) {
  constexpr Index most = ci::TargetMove::kMostTargets;
  if (!counts.factors || counts.factors->longest <= most) return "";
  return base::concat("lists have ", base::grouped(counts.factors->longest),
                      " beta strings, of which string matrices number ", base::grouped(most));
}

}  // namespace

const ProductMethod kFactorised{.elements = ElementPath::factorised,
                                .text = "factorised",
                                .stores = false,
                                .computes = true,
                                .offer = offer_factorised,
                                .forms = factorised_forms,
                                .cost = factorised_cost,
                                .vectors = factorised_vectors,
                                .build = build_factorised,
                                .share = share_factorised,
                                .obstacle = obstacle};

}  // namespace cisolve::job
