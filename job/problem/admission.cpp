#include "job/problem/admission.hpp"

#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "ci/counting/counting_rows.hpp"
#include "sparse/rows/shape.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::job {
namespace {

// Bytes beyond 64 bits are as good as the most that there are.
Index whole_bytes(double value) {
  constexpr double most = 0x1p62;
  return static_cast<Index>(std::min(value, most));
}

std::string smaller_problem(const Request& request) {
  if (request.source == ProblemSource::lattice) return "a smaller lattice or space";
  if (request.source == ProblemSource::generate) return "fewer rows";
  if (request.source == ProblemSource::matrix || request.source == ProblemSource::rows)
    return "a smaller matrix";
  return "a smaller space (fewer active orbitals, fewer excitations, one irrep)";
}

std::string description(const LeastDemand& demand, const base::MemoryBudget& budget) {
  std::string text = base::concat(count_text(demand.rows), " rows");
  if (demand.sampled_rows > 0)
    text += base::concat(" with at least ", count_text(demand.nonzeros),
                         " non-zeros, by a sample of ", demand.sampled_rows, " rows");
  const bool by_tables = demand.tables > budget.left();
  if (by_tables)
    text += base::concat(": the tables of strings take ", base::human_bytes(demand.tables));
  text += base::concat(by_tables ? ", " : ": ", "the vectors ", base::human_bytes(demand.vectors),
                       " and the matrix ", base::human_bytes(demand.matrix), " at least, but ",
                       base::human_bytes(budget.left()), " of the budget of ",
                       base::human_bytes(budget.limit()), " are left");
  return text;
}

// A search space and its images: the states and one direction, and the diagonal beside them. What
// is small may be solved densely, and the vectors of one spin are shorter than the space; of these
// there are at least a product's two.
double solved_vectors(const Request& request, double rows) {
  constexpr double small = 4000;
  const auto states = static_cast<double>(request.solver.states);
  if (states == 0) return 0;
  if (rows <= small || request.space.spin >= 0) return 2;
  return 2 * (std::min(states, rows) + 1) + 1;
}

}  // namespace

TooLarge::TooLarge(const LeastDemand& demand, const base::MemoryBudget& budget, std::string advice)
    : base::Error(base::Fault::resources,
                  base::concat("not enough memory: ", description(demand, budget), "; ", advice)),
      demand_(demand),
      limit_(budget.left()),
      advice_(std::move(advice)) {}

std::string count_text(double count) {
  constexpr double exact = 0x1p53;
  return count < exact ? base::grouped(static_cast<Index>(count)) : base::brief(count);
}

Index least_vectors(const Request& request, double rows) {
  const auto states = static_cast<double>(request.solver.states);
  const bool multiplies = request.product.wanted || states == 0;
  const double multiplied = multiplies ? 2 * static_cast<double>(request.product.vectors) : 0;
  return whole_bytes(std::max(solved_vectors(request, rows), multiplied) * rows * sizeof(double));
}

std::string advice_on_vectors(const Request& request) {
  return base::concat("the vectors alone do not fit, so no format helps: choose ",
                      smaller_problem(request), request.solver.states > 1 ? ", fewer states" : "",
                      " or more memory");
}

std::string advice_on_matrix(const Request& request) {
  return base::concat("no format fits: choose ", smaller_problem(request),
                      ", a storage.threshold or more memory");
}

LeastDemand Admission::demand_of(double rows, double tables) const {
  return {.rows = rows,
          .nonzeros = rows,
          .sampled_rows = 0,
          .tables = whole_bytes(tables),
          .vectors = least_vectors(request_, rows),
          .matrix = matrix_bytes(rows, rows)};
}

// Where the program chooses, it may tile what is no Hamiltonian.
Index Admission::matrix_bytes(double rows, double nonzeros) const {
  const std::string& named = request_.storage.format;
  const std::string left_open = is_molecular(request_) ? "hybrid" : "tiled";
  const sparse::Format& format = sparse::format_named(named == "auto" ? left_open : named);
  return whole_bytes(nonzeros * format.element_bytes + rows * format.row_bytes);
}

void Admission::refuse_what_does_not_fit(const LeastDemand& demand) const {
  const base::MemoryBudget& host = host_.memory();
  const auto fits = [&](const base::MemoryBudget& budget) {
    return demand.vectors <= budget.left() && demand.matrix <= budget.left() - demand.vectors;
  };
  if (demand.tables <= host.left() && fits(host)) return;
  const base::Backend backend = wait_for_backend_();
  const base::MemoryBudget& largest =
      backend.memory().left() > host.left() ? backend.memory() : host;
  if (demand.vectors > largest.left()) throw TooLarge(demand, largest, advice_on_vectors(request_));
  if (demand.tables > host.left())
    throw TooLarge(demand, host,
                   base::concat("no format helps: choose ", smaller_problem(request_),
                                " or more memory of the host"));
  if (!fits(largest)) throw TooLarge(demand, largest, advice_on_matrix(request_));
}

void Admission::require(const LeastSize& size) const {
  if (size.determinants.is_zero()) return;
  const double rows = size.determinants.to_double();
  const double tables = ci::string_bytes(size.strings) + ci::search_bytes(size.strings);
  refuse_what_does_not_fit(demand_of(rows, tables));
  const auto exact = size.determinants.to_index();
  if (exact) sparse::require_storable({*exact, *exact, 0, true});
}

void Admission::require(const ci::Space& space, const ci::Integrals& integrals) const {
  const Index rows = space.dimension();
  sparse::require_storable({rows, rows, 0, true});
  LeastDemand demand =
      demand_of(static_cast<double>(rows), ci::search_bytes(ci::strings_of(space)));
  refuse_what_does_not_fit(demand);
  const Index most = matrix_bytes(demand.rows, demand.rows * ci::longest_row(space));
  if (most <= host_.memory().left() - demand.vectors) return;
  const ci::RowSample sample = ci::sample_rows(space, integrals, request_.elements.threshold);
  demand.nonzeros = sample.least_of(rows);
  demand.sampled_rows = sample.rows;
  demand.matrix = matrix_bytes(demand.rows, demand.nonzeros);
  refuse_what_does_not_fit(demand);
}

void Admission::require(const sparse::GeneratorOptions& options) const {
  const auto rows = static_cast<double>(options.rows);
  LeastDemand demand = demand_of(rows, 0);
  if (request_.elements.threshold == 0)
    demand.nonzeros = std::max(demand.nonzeros, sparse::least_nonzeros(options));
  demand.matrix = matrix_bytes(demand.rows, demand.nonzeros);
  refuse_what_does_not_fit(demand);
}

}  // namespace cisolve::job
