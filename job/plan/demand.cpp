#include "job/plan/demand.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "solver/task/sizes.hpp"
#include "solver/vectors/vectors.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::job {
namespace {

std::string smaller_problem(const Request& request) {
  if (request.source == ProblemSource::lattice) return "a smaller lattice or space";
  if (request.source == ProblemSource::generate) return "fewer rows";
  if (request.source == ProblemSource::matrix || request.source == ProblemSource::rows)
    return "a smaller matrix";
  return "a smaller space (fewer active orbitals, fewer excitations, one irrep)";
}

// What is small may be solved densely, and the vectors of one spin are shorter than a space of
// determinants.
bool has_search_space(const Request& request, double rows) {
  constexpr double small = 4000;
  return request.solver.states > 0 && rows > small &&
         (request.space.spin < 0 || !is_molecular(request));
}

// A search space of the states and one direction. The vectors of one spin are shorter than a space
// of determinants; of these there are at least a product's two.
double bytes_to_solve(const Request& request, double rows, bool on_device) {
  const Index states = request.solver.states;
  if (states == 0) return 0;
  if (request.space.spin >= 0 && is_molecular(request)) return 2 * rows * sizeof(double);
  if (rows >= 0x1p60) return std::numeric_limits<double>::infinity();
  const auto length = static_cast<Index>(rows);
  return solver::Vectors::least_bytes_for(std::min(states, length) + 1, !on_device, length, length);
}

}  // namespace

Index whole_bytes(double value) {
  constexpr double most = 0x1p62;
  return static_cast<Index>(std::min(value, most));
}

Index least_matrix(const sparse::FormatOptions& storage, const Counts& counts) {
  const sparse::Format& format = sparse::format_named(storage.format);
  const bool coded = storage.values == sparse::Values::coded && format.coded;
  const double element_bytes = coded ? format.coded->element_bytes : format.element_bytes;
  return whole_bytes(counts.nonzeros * element_bytes + counts.rows * format.row_bytes);
}

Index least_vectors(const Request& request, double rows, bool on_device) {
  const auto states = static_cast<double>(request.solver.states);
  const bool multiplies = request.product.wanted || states == 0;
  const double multiplied = multiplies ? 2 * static_cast<double>(request.product.vectors) : 0;
  return whole_bytes(
      std::max(bytes_to_solve(request, rows, on_device), multiplied * rows * sizeof(double)));
}

double crowding_within(const Request& request, double rows, Index bytes, bool on_device) {
  constexpr Index all = std::numeric_limits<int>::max();
  if (!has_search_space(request, rows)) return 1;
  solver::Options options;
  options.states = static_cast<int>(request.solver.states);
  options.near = request.solver.near;
  if (request.solver.method == "davidson") options.method = solver::Method::davidson;
  const Index length = whole_bytes(rows);
  const Index fitting = solver::Vectors::columns_that_fit(bytes, !on_device, length, length);
  const Index columns = solver::columns_of_basis(options, 0, fitting);
  const Index of_use = solver::choose_sizes(options, length, all).capacity;
  const auto beside = [&](Index capacity) {
    return static_cast<double>(std::max<Index>(0, capacity - options.states));
  };
  return std::max(1.0, beside(of_use) / beside(columns));
}

std::string advice_on_vectors(const Request& request) {
  return base::concat("the vectors alone do not fit, so no format helps: choose ",
                      smaller_problem(request), request.solver.states > 1 ? ", fewer states" : "",
                      " or more memory");
}

std::string advice_on_matrix(const Request& request) {
  const bool may_hold_none = is_molecular(request) && request.elements.path != "on-the-fly";
  return base::concat("no format fits: choose ",
                      may_hold_none ? "storage.elements: on-the-fly, which holds none, " : "",
                      smaller_problem(request), ", a storage.threshold or more memory");
}

std::string advice_on_tables(const Request& request) {
  return base::concat("no format helps: choose ", smaller_problem(request),
                      " or more memory of the host");
}

}  // namespace cisolve::job
