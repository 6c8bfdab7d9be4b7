#include "solver/methods/solve.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/text.hpp"
#include "solver/methods/davidson.hpp"
#include "solver/methods/dense.hpp"
#include "solver/methods/lanczos.hpp"
#include "solver/methods/method_choice.hpp"
#include "solver/task/same_inputs.hpp"
#include "solver/vectors/space_bytes.hpp"

namespace cisolve::solver {
namespace {

// Dimension up to which a verification counts all eigenvalues; a dense solution finds at once what
// it would report missing, and the states of largest weight.
constexpr Index kDenseOfChosen = 1500;

void require_sensible(const Options& options) {
  if (options.states < 1)
    base::fail(base::ErrorKind::usage, options.states,
               " states were requested; expected at least 1");
  if (!(options.tolerance > 0))
    base::fail(base::ErrorKind::usage, "a tolerance of ", options.tolerance,
               "; expected more than 0");
  if (options.method == Method::lanczos && !options.are_lowest())
    base::fail(base::ErrorKind::usage,
               "Lanczos finds only the lowest states; expected another method for ", "others");
  if (options.near && options.follow != nullptr)
    base::fail(base::ErrorKind::usage,
               "states near an energy and states to follow are both requested; expected one of ",
               "them");
  if (options.near && !std::isfinite(*options.near))
    base::fail(base::ErrorKind::usage, "states near ", *options.near,
               " were requested; expected a finite energy");
  if (options.max_iterations < 0)
    base::fail(base::ErrorKind::usage, options.max_iterations, " iterations; expected 0 or more");
}

/// Throws with the memory that `states` states and a direction need, if they do not fit.
void require_space(base::MemoryBudget& memory, double bytes, Index states, const char* where = "") {
  constexpr double countable = 9e18;
  memory.require(static_cast<Index>(std::min(bytes, countable)),
                 base::concat("a search space of ", base::counted(states, "state"),
                              " and a direction", where));
}

void require_least_space(const Problem& problem, Index states, Index dimension) {
  const Index rows = problem.matrix.rows();
  const bool on_host = problem.backend.is_host();
  require_space(problem.backend.memory(), least_bytes_for(states + 1, on_host, rows, dimension),
                states);
}

void require_staged_space(const Problem& problem, Index states) {
  const StagedBytes least = least_staged_bytes_for(states + 1, states, problem.matrix.rows());
  require_space(problem.backend.host_memory(), least.host, states, " in host memory");
}

/// Throws a DeviceMemoryError if a device lacks memory.
Sizes sizes_that_fit(const Problem& problem, const Options& options, Index dimension, Index most) {
  const Index states = std::min<Index>(options.states, dimension);
  if (most <= states) require_least_space(problem, states, dimension);
  try {
    return choose_sizes(options, dimension, most);
  } catch (const base::Error& error) {
    if (error.kind() == base::ErrorKind::resources && !problem.backend.is_host())
      throw base::DeviceMemoryError(error.what());
    throw;
  }
}

int columns_to_follow(const Options& options) {
  return options.follow == nullptr ? 0 : options.follow->vectors.columns();
}

/// Sizes for all ranks, by the one with the least memory.
Sizes sizes_on_all(const Problem& problem, const Options& options, Index dimension) {
  FittingColumns fitting = FittingColumns::in(
      MemoryForSpace::of(problem.backend, problem.matrix.rows(), dimension), options, dimension);
  for (Index* columns : {&fitting.full, &fitting.staged})
    *columns = static_cast<Index>(problem.communicator.minimum(static_cast<double>(*columns)));
  const BasisStorage basis_storage = choose_basis_storage(options, dimension, fitting);
  const Index most = basis_storage == BasisStorage::staged
                         ? staged_columns(options, fitting.staged)
                         : columns_of_basis(options, columns_to_follow(options), fitting.full);
  Options heeded = options;
  if (basis_storage == BasisStorage::staged)
    heeded.block_width = 1;  // leaves one column of basis and image free
  Sizes sizes;
  base::run_collectively(problem.communicator, [&] {
    if (basis_storage == BasisStorage::staged && most <= options.states)
      require_staged_space(problem, options.states);
    sizes = sizes_that_fit(problem, heeded, dimension, most);
  });
  sizes.basis_storage = basis_storage;
  sizes.is_full = !leaves_for_lanczos(options, columns_to_follow(options), fitting.full);
  return sizes;
}

void add(std::string& note, const std::string& more) {
  if (!note.empty() && !more.empty()) note += "; ";
  note += more;
}

std::string note_of(const Sizes& sizes, const Options& options, Index dimension) {
  if (sizes.basis_storage == BasisStorage::staged && !options.basis_storage)
    return base::concat("the search space of ", sizes.capacity,
                        " vectors is staged in host memory because device memory "
                        "does not suffice; the solution takes longer");
  constexpr int kAll = std::numeric_limits<int>::max();
  const Index wanted = sizes.basis_storage == BasisStorage::staged
                           ? std::min(staged_columns(options, kAll), dimension)
                           : choose_sizes(options, dimension, kAll).capacity;
  if (sizes.capacity >= wanted) return {};
  return base::concat("the search space holds ", sizes.capacity, " vectors instead of ", wanted,
                      " because memory does not suffice for more; the solution may take longer");
}

/// The tolerance bounds residuals, in the unit of the operator.
std::string note_of_tolerance(double tolerance, double spread, double rounding) {
  constexpr double kLarge = 0.03;
  constexpr double kSmall = 1e-8;
  constexpr double kEqual = 1e3;  // times rounding, between values that count as equal
  if (!(tolerance > kLarge * spread) || spread <= kEqual * rounding) return {};
  return base::concat("the tolerance of ", base::scientific(tolerance, 0),
                      " is large compared with the spread of the spectrum of about ",
                      base::scientific(spread, 0),
                      ": energies have hardly a correct digit, and states may "
                      "be mixed; set it to about ",
                      base::scientific(kSmall * spread, 0));
}

/// Note on a method or start that replaces the requested one.
std::string note_of_lanczos(bool wanted, bool taken, const Options& options) {
  if (wanted && !taken)
    return "Davidson is used instead of Lanczos because the search space is too small for Lanczos";
  if (taken && options.start == StartKind::model_space)
    return "Lanczos starts from random vectors, not from the states of the model space";
  return {};
}

bool small_enough(const Options& options, Index rows) {
  if (!options.are_lowest() && rows <= kDenseOfChosen) return true;
  return rows <= options.dense_limit || (options.states >= rows / 4 && rows <= 4000);
}

/// Whether Method::automatic solves densely: not if any rank lacks memory.
bool goes_densely(const Problem& problem, const Options& options, Index dimension) {
  return small_enough(options, dimension) && problem.communicator.all_true(has_memory_for_dense(
                                                 problem.backend, dimension, options.states));
}

Result lanczos_then_davidson(const Task& task, const Checkpoint* start) {
  LanczosResult first = lanczos(task, start);
  // Davidson recomputes residuals, searches for missed states and converges the rest.
  Options rest = task.options;
  const int taken = first.states.iterations - (start == nullptr ? 0 : start->iterations);
  rest.max_iterations = std::max(0, task.options.max_iterations - taken);
  if (first.stopped) rest.max_iterations = 0;
  Result result = davidson({task.matrix, task.vectors, task.setup, rest, task.sizes,
                            first.ended ? nullptr : task.observer, first.largest_ritz, nullptr,
                            first.rest ? &*first.rest : nullptr},
                           &first.states);
  result.method = Method::lanczos;
  result.spread = std::max(result.spread, first.spread);
  result.restarts += first.restarts;
  result.history.insert(result.history.begin(), first.history.begin(), first.history.end());
  if (!first.stopped) return result;
  result.search = SearchEnd::stopped;
  for (State& state : result.states)
    if (state.status == Status::not_converged) state.status = Status::stopped;
  return result;
}

/// Whether Lanczos is requested, is the only choice, or made the checkpoint.
bool is_krylov(const Task& task, const Checkpoint* start) {
  if (task.options.method == Method::davidson || task.wanted != nullptr) return false;
  if (start != nullptr) return was_of_lanczos(*start, task.sizes);
  return task.options.method == Method::lanczos || !task.setup.has_diagonal();
}

Result solve_by_chosen_method(const Task& task) {
  double error = 0;
  std::optional<Result> found = davidson_unless_lanczos_suits(task, error);
  if (found) return *std::move(found);
  Result result = lanczos_then_davidson(task, nullptr);
  std::ostringstream size;
  size << std::setprecision(2) << error;
  add(result.note, base::concat("Lanczos is used because no rows dominate the ", task.sizes.states,
                                " states: start vectors miss a component of norm ", size.str(),
                                " (first-order estimate)"));
  return result;
}

Result solve_iteratively(const Problem& problem, const Options& options, MeteredOperator& matrix,
                         const base::Layout& layout, Observer* observer, const Checkpoint* start) {
  const Index dimension = layout.rows();
  const Sizes sizes = sizes_on_all(problem, options, dimension);
  Vectors vectors(problem.backend, problem.communicator, layout,
                  std::max(sizes.capacity, columns_to_follow(options)));
  const std::unique_ptr<const StateSelection> wanted = StateSelection::of(options, vectors);
  const SolverSetup setup(problem, options, matrix, vectors);
  const Task task{matrix, vectors, setup, options, sizes, observer, 0, wanted.get()};
  const bool krylov = is_krylov(task, start);
  const bool steps = krylov && has_columns_for_lanczos(sizes, dimension);
  Result result = steps ? lanczos_then_davidson(task, start)
                  : start == nullptr && needs_method_choice(task) ? solve_by_chosen_method(task)
                                                                  : davidson(task, start);
  add(result.note, note_of(sizes, options, dimension));
  add(result.note,
      note_of_tolerance(options.tolerance, std::max(result.spread, setup.width_of_diagonal()),
                        result.rounding));
  add(result.note, note_of_lanczos(krylov, steps, options));
  add(result.note, setup.note_of_preconditioner());
  if (!steps && start == nullptr) add(result.note, setup.note_of_start());
  return result;
}

Result solve_densely(const Problem& problem, const Options& options, MeteredOperator& matrix,
                     const base::Layout& layout) {
  Vectors vectors(problem.backend, problem.communicator, layout,
                  std::max(1, columns_to_follow(options)));
  const std::unique_ptr<const StateSelection> wanted = StateSelection::of(options, vectors);
  return dense(matrix, vectors, options, wanted.get());
}

Result solve_together(const Problem& problem, const Options& options, Observer* observer,
                      const Checkpoint* start) {
  require_sensible(options);
  require_same_inputs(problem, options, start);
  const base::Layout layout = layout_of(problem);
  const Index dimension = layout.rows();
  if (dimension < 1) base::fail(base::ErrorKind::bad_input, "a matrix without rows has no states");
  MeteredOperator matrix(problem);
  const bool densely =
      options.method == Method::dense || (options.method == Method::automatic && start == nullptr &&
                                          goes_densely(problem, options, dimension));
  Result result = densely ? solve_densely(problem, options, matrix, layout)
                          : solve_iteratively(problem, options, matrix, layout, observer, start);
  if (options.states > dimension)
    add(result.note, base::concat(options.states, " states were requested, but the matrix has ",
                                  dimension, "; all of these are computed"));
  return result;
}

}  // namespace

Result solve(const Problem& problem, const Options& options, Observer* observer,
             const Checkpoint* start) {
  return base::abort_peers_on_error(
      problem.communicator, [&] { return solve_together(problem, options, observer, start); });
}

}  // namespace cisolve::solver
