#include "job/plan/demand.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "solver/task/sizes.hpp"
#include "solver/vectors/space_bytes.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::job {
namespace {

// A search space on the host has few columns, which costs some products (kOfStaged); an iteration
// moves its contents kMovedOfStaged times.
constexpr double kOfStaged = 1.2;
constexpr double kMovedOfStaged = 3.5;

std::string smaller_problem(const Request& request) {
  if (request.source == ProblemSource::lattice) return "a smaller lattice or space";
  if (request.source == ProblemSource::generate) return "fewer rows";
  if (request.source == ProblemSource::matrix || request.source == ProblemSource::rows)
    return "a smaller matrix";
  return "a smaller space (fewer active orbitals, fewer excitations, one irrep)";
}

// Small problems may be solved densely, and vectors of one spin are shorter than a space of
// determinants.
bool has_search_space(const Request& request, double rows) {
  constexpr double small = 4000;
  return request.solver.states > 0 && rows > small &&
         (!request.space.spin || !has_determinants(request));
}

solver::Options options_of(const Request& request) {
  solver::Options options;
  options.states = static_cast<int>(request.solver.states);
  options.near = request.solver.near;
  if (request.solver.method != solver::Method::dense) options.method = request.solver.method;
  options.basis_storage = request.solver.basis;
  if (!request.solver.follow.empty()) options.basis_storage = solver::BasisStorage::full;
  return options;
}

// A search space of the states and one direction, part of which may be on the host. Vectors of one
// spin are shorter than a space of determinants, of which a product has at least two.
double bytes_to_solve(const Request& request, double rows, bool on_device, Index host) {
  const Index states = request.solver.states;
  if (states == 0) return 0;
  if (request.space.spin && has_determinants(request)) return 2 * rows * sizeof(double);
  if (rows >= 0x1p60) return std::numeric_limits<double>::infinity();
  const auto length = static_cast<Index>(rows);
  const Index columns = std::min(states, length) + 1;
  // Shifting other spins of site states takes one or two images under S^2.
  const double lift = request.space.spin && is_site_basis(request) ? 2 * sizeof(double) * rows : 0;
  const double full = lift + solver::least_bytes_for(columns, !on_device, length, length);
  if (!on_device || !solver::may_be_staged(options_of(request))) return full;
  const solver::StagedBytes staged = solver::least_staged_bytes_for(columns, states, length);
  return staged.host <= static_cast<double>(host) ? std::min(full, lift + staged.device) : full;
}

}  // namespace

Index whole_bytes(double value) {
  constexpr double most = 0x1p62;
  return static_cast<Index>(std::min(value, most));
}

Index least_matrix_bytes(const sparse::FormatOptions& storage, const MatrixEstimate& counts) {
  const sparse::Format& format = sparse::format_named(storage.format);
  const bool coded = storage.values == sparse::ValueEncoding::coded && format.coded;
  const double element_bytes = coded ? format.coded->element_bytes : format.element_bytes;
  return whole_bytes(counts.nonzeros * element_bytes + counts.rows * format.row_bytes);
}

Index least_vector_bytes(const Request& request, double rows, bool on_device, Index host) {
  const auto states = static_cast<double>(request.solver.states);
  const bool multiplies = request.product.wanted || states == 0;
  const double multiplied = multiplies ? 2 * static_cast<double>(request.product.vectors) : 0;
  return whole_bytes(
      std::max(bytes_to_solve(request, rows, on_device, host), multiplied * rows * sizeof(double)));
}

SearchSpaceEstimate estimate_search_space(const Request& request, double rows, Index bytes,
                                          bool on_device, Index host) {
  constexpr Index all = std::numeric_limits<int>::max();
  if (!has_search_space(request, rows)) return {};
  const solver::Options options = options_of(request);
  const Index length = whole_bytes(rows);
  const auto fitting = solver::FittingColumns::in({.bytes = bytes,
                                                   .host_bytes = host,
                                                   .on_host = !on_device,
                                                   .rows = length,
                                                   .dimension = length},
                                                  options, length);
  const bool is_staged = on_device && solver::choose_basis_storage(options, length, fitting) ==
                                          solver::BasisStorage::staged;
  const Index columns = is_staged ? solver::staged_columns(options, fitting.staged)
                                  : solver::columns_of_basis(options, 0, fitting.full);
  const Index of_use = is_staged ? solver::staged_columns(options, all)
                                 : solver::choose_sizes(options, length, all).capacity;
  const auto directions = [&](Index capacity) {
    return static_cast<double>(std::max<Index>(0, capacity - options.states));
  };
  const double restart_penalty = std::max(1.0, directions(of_use) / directions(columns));
  if (!is_staged) return {.restart_penalty = restart_penalty};
  const auto kept = solver::least_staged_bytes_for(columns, options.states, length).host;
  return {.restart_penalty = kOfStaged * restart_penalty,
          .staged = whole_bytes(kept),
          .moved = kMovedOfStaged * kept};
}

std::string advice_on_vectors(const Request& request) {
  return base::concat("even the vectors do not fit, so no format helps: choose ",
                      smaller_problem(request), request.solver.states > 1 ? ", fewer states" : "",
                      " or a larger memory budget");
}

std::string advice_on_matrix(const Request& request) {
  const bool may_hold_none =
      has_determinants(request) && request.elements.path != ElementPath::on_the_fly;
  return base::concat("no format fits: choose ",
                      may_hold_none ? "storage.elements: on-the-fly, which stores none, " : "",
                      smaller_problem(request), ", a storage.threshold or a larger memory budget");
}

std::string advice_on_tables(const Request& request) {
  return base::concat("no format helps: choose ", smaller_problem(request),
                      " or a larger budget of host memory");
}

}  // namespace cisolve::job
