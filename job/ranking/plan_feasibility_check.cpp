#include "job/ranking/plan_feasibility_check.hpp"

#include <algorithm>
#include <vector>

#include "base/number.hpp"
#include "ci/fock/integrals/same_orbitals.hpp"
#include "ci/oracle/sampled_lengths.hpp"
#include "ci/properties/density.hpp"
#include "job/ranking/rank_plans.hpp"

namespace cisolve::job {
namespace {

constexpr auto kOnDensities =
    "choose analysis.densities: one, fewer states, fewer active orbitals or a larger memory budget";

// Bytes of the density in progress and of the densities and vectors of all states, which are kept.
// Densities are sums over the spins, so none is kept if integrals depend on spin.
Index bytes_of_densities(const Request& request, double rows, const ci::Integrals& integrals) {
  const double n = integrals.orbitals();
  const double kept = ci::have_same_orbitals(integrals) ? n * n * n * n : 0;
  const auto states = std::min(static_cast<double>(request.solver.states), rows);
  return whole_bytes(static_cast<double>(ci::TwoParticleDensity::bytes(integrals.orbitals())) +
                     sizeof(double) * states * (rows + kept));
}

std::string description(const LeastDemand& demand, const base::MemoryBudget& budget) {
  std::string text = base::concat(count_text(demand.rows), " rows");
  if (demand.sampled_rows > 0)
    text += base::concat(" with at least ", count_text(demand.nonzeros),
                         " non-zeros, estimated from ", demand.sampled_rows, " sampled rows");
  const bool by_tables = demand.tables > budget.left();
  if (by_tables)
    text += base::concat(": the string tables take ", base::human_bytes(demand.tables));
  const bool by_densities = demand.densities > budget.left();
  if (by_densities)
    text += base::concat(": the states with their two-particle densities take ",
                         base::human_bytes(demand.densities));
  text += base::concat(by_tables || by_densities ? ", " : ": ", "the vectors need at least ",
                       base::human_bytes(demand.vectors), " and the matrix ",
                       base::human_bytes(demand.matrix), ", but only ",
                       base::human_bytes(budget.left()), " of the memory budget of ",
                       base::human_bytes(budget.limit()), " are free");
  return text;
}

// The least demand of the plans for the device or the host.
MemoryNeed least_of(const std::vector<Plan>& plans, bool on_device) {
  std::optional<MemoryNeed> least;
  for (const Plan& plan : plans)
    if (plan.on_device == on_device && (!least || plan.demand.matrix < least->matrix))
      least = plan.demand;
  return *least;
}

}  // namespace

TooLarge::TooLarge(const LeastDemand& demand, const base::MemoryBudget& budget, std::string advice)
    : base::Error(base::ErrorKind::resources,
                  base::concat("not enough memory: ", description(demand, budget), "; ", advice)),
      demand_(demand),
      limit_(budget.left()),
      advice_(std::move(advice)) {}

TooLarge::TooLarge(const std::string& reason)
    : base::Error(base::ErrorKind::resources, reason), advice_(reason) {}

std::string count_text(double count) {
  constexpr double exact = 0x1p53;
  return count < exact ? base::grouped(static_cast<Index>(count)) : base::brief(count);
}

MemoryNeed PlanFeasibilityCheck::least_on_host(const MatrixEstimate& counts) const {
  const auto resources = Resources{host_.memory().left()}.among(ranks_);
  return least_of(rank_plans(request_, counts, resources), false);
}

// A job that fits the host does not wait for the backend.
void PlanFeasibilityCheck::admit(MatrixEstimate counts, double tables) {
  counts_ = counts;
  if (on_estimate_) on_estimate_(counts);
  const base::MemoryBudget& host = host_.memory();
  const Index table_bytes = whole_bytes(tables);
  const bool has_tables = table_bytes <= host.left();
  const MemoryNeed here = least_on_host(counts);
  if (has_tables && here.within(host.left())) return;
  const base::Backend backend = wait_for_backend_();
  const bool on_device = backend.memory().left() > host.left();
  const base::MemoryBudget& largest = on_device ? backend.memory() : host;
  const MemoryNeed there =
      on_device
          ? least_of(rank_plans(request_, counts,
                                Resources::of(backend, request_.machine_factors).among(ranks_)),
                     true)
          : here;
  const LeastDemand demand{counts, there, table_bytes};
  if (there.vectors > largest.left()) throw TooLarge(demand, largest, advice_on_vectors(request_));
  if (!has_tables) throw TooLarge(demand, host, advice_on_tables(request_));
  if (!there.within(largest.left())) throw TooLarge(demand, largest, advice_on_matrix(request_));
}

// Refuses densities requested by name that do not fit, before anything is solved.
void PlanFeasibilityCheck::require_densities(const ci::Integrals& integrals) const {
  if (request_.analysis.densities != Densities::two || request_.solver.states == 0) return;
  LeastDemand demand{counts_, least_on_host(counts_)};
  demand.densities = bytes_of_densities(request_, counts_.rows, integrals);
  if (demand.densities > host_.memory().left())
    throw TooLarge(demand, host_.memory(), kOnDensities);
}

// Stored column numbers have 32 bits; computed elements have no stored column numbers.
void PlanFeasibilityCheck::require_columns_fit_32_bits(Index rows) const {
  if (!may_compute(request_)) sparse::require_storable({rows, rows, 0, true});
}

void PlanFeasibilityCheck::require(const LeastSize& size) {
  if (size.determinants.is_zero()) return;
  const double rows = size.determinants.to_double();
  admit({rows, rows}, ci::string_bytes(size.strings) + ci::connection_search_bytes(size.strings));
  const auto exact = size.determinants.to_index();
  if (exact) require_columns_fit_32_bits(*exact);
}

void PlanFeasibilityCheck::require(const ci::Space& space, const ci::Integrals& integrals) {
  const Index rows = space.dimension();
  require_columns_fit_32_bits(rows);
  const double tables = ci::connection_search_bytes(ci::strings_of(space));
  const auto length = static_cast<double>(rows);
  admit({length, length}, tables);
  require_densities(integrals);
  const MatrixEstimate most{length, length * ci::longest_row(space)};
  if (least_on_host(most).within(host_.memory().left())) return;
  const ci::SampledLengths sample = ci::sample_rows(space, integrals, request_.elements.threshold);
  admit({length, sample.lower_bound(rows), sample.rows}, tables);
}

void PlanFeasibilityCheck::require_spins(double states) { admit({states, states}, 0); }

void PlanFeasibilityCheck::require(const sparse::MatrixShape& shape) {
  admit({static_cast<double>(std::min(shape.rows, shape.columns)), 0}, 0);
}

void PlanFeasibilityCheck::require(const sparse::GeneratorOptions& options) {
  const auto rows = static_cast<double>(options.rows);
  const double nonzeros = request_.elements.threshold == 0 ? sparse::least_nonzeros(options) : 0;
  admit({rows, std::max(rows, nonzeros)}, 0);
}

}  // namespace cisolve::job
