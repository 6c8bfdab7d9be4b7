#include "solver/sectors/sector_solution.hpp"

#include <algorithm>

namespace cisolve::solver {
namespace {

/// Gives both results the summed costs, `second` after `first`.
void add_up(Result& first, Result& second) {
  second.history.insert(second.history.begin(), first.history.begin(), first.history.end());
  second.restarts += first.restarts;
  second.model_products += first.model_products;
  second.product_seconds += first.product_seconds;
  second.timed_products += first.timed_products;
  second.search_products += first.search_products;
  first.history = second.history;
  first.restarts = second.restarts;
  first.model_products = second.model_products;
  first.product_seconds = second.product_seconds;
  first.timed_products = second.timed_products;
  first.search_products = second.search_products;
  first.iterations = second.iterations;
  first.products = second.products;
}

}  // namespace

Result SectorSolution::run(const Checkpoint* start) {
  before_ = start == nullptr ? 0 : start->iterations;
  Options first = options_;
  first.search = SearchEffort::none;  // a search of both sectors follows
  first.fills_above = options_.search != SearchEffort::none;
  {
    const std::unique_ptr<const OperatorSector> likely = made(ParitySide::likely);
    found_ = solve_in(ParitySide::likely, *likely, first, contracted(*likely, start),
                      [&] { run_while_device_works(*likely); });
  }
  if (is_finished() && !cancellation_.goes_on())
    found_.search = SearchEnd::stopped;
  else if (options_.search != SearchEffort::none)
    search_both();
  else if (!is_over())
    search_other();
  found_.above.reset();
  if (found_.search != SearchEnd::excluded)
    found_.completeness = Completeness::not_checked;  // the full problem's completeness
  expand(*made(lies_in_));
  found_.seconds = watch_.seconds();
  return std::move(found_);
}

bool SectorSolution::is_finished() const {
  const Status status = found_.states.front().status;
  return status != Status::stopped && status != Status::not_converged;
}

/// Whether to stop here: the state is then as good as it can be.
bool SectorSolution::is_over() {
  if (found_.search == SearchEnd::stopped) return true;
  if (found_.search == SearchEnd::not_wanted) return !is_finished();
  if (!is_finished()) found_.search = SearchEnd::unfinished;  // solved again after convergence
  return found_.search == SearchEnd::unfinished;
}

Problem SectorSolution::problem_of(const OperatorSector& part) const {
  return {.matrix = part.matrix(),
          .backend = whole_.backend,
          .communicator = ranks_,
          .layout = part.layout(),
          .model_block = &part.model_block()};
}

std::unique_ptr<const OperatorSector> SectorSolution::made(ParitySide side) const {
  std::unique_ptr<const OperatorSector> part;
  base::run_collectively(ranks_, [&] { part = parts_.make(side); });
  return part;
}

Result SectorSolution::solve_in(ParitySide side, const OperatorSector& part, const Options& options,
                                const std::optional<Checkpoint>& start,
                                std::function<void()> meanwhile) {
  ExpandingObserver of_whole(parts_, side, part, rows_, watch_, cancellation_);
  OnFirstReport observer(std::move(meanwhile), of_whole);
  Result result = solve(problem_of(part), options, &observer, start ? &*start : nullptr);
  cancellation_.rethrow();
  return result;
}

/// Projection of full start vectors on the likely sector.
std::optional<Checkpoint> SectorSolution::contracted(const OperatorSector& likely,
                                                     const Checkpoint* start) const {
  if (start == nullptr) return {};
  constexpr int kMost = 4;  // a state and its last directions
  const int columns = std::min(start->basis.columns(), kMost);
  const Vectors whole(whole_.backend, ranks_, layout_of(whole_), 1);
  const Vectors part(whole_.backend, ranks_, layout_of(problem_of(likely)), 1);
  // Kept on the host, since they take as much memory as directions.
  const base::Backend host = whole_.backend.host();
  base::MultiVector column = part.make(1, "a start vector");
  std::optional<base::MultiVector> basis;
  base::run_collectively(ranks_,
                         [&] { basis.emplace(host, column.rows(), columns, "start vectors"); });
  for (int j = 0; j < columns; ++j) {
    likely.contract(whole, start->basis, start->layout, j, column.block());
    base::copy_bytes(whole_.backend, column.block().data, host, basis->block().column(j),
                     column.rows() * Index{sizeof(double)});
  }
  return Checkpoint{*std::move(basis), part.layout(), {}, start->iterations, start->products};
}

int SectorSolution::iterations_left() const {
  return std::max(0, options_.max_iterations - (found_.iterations - before_));
}

/// Solves the likely sector from the state and, if not null, a direction; replaces the result.
void SectorSolution::solve_likely_again(const base::MultiVector* direction) {
  auto second = if_memory_allows([&] {
    const base::Backend& backend = found_.vectors.backend();
    const Index bytes = found_.vectors.rows() * Index{sizeof(double)};
    const int columns = direction == nullptr ? 1 : 2;
    std::optional<base::MultiVector> start;
    base::run_collectively(
        ranks_, [&] { start.emplace(backend, found_.vectors.rows(), columns, "start vectors"); });
    base::copy_bytes(backend, found_.vectors.block().column(0), backend, start->block().column(0),
                     bytes);
    if (direction != nullptr)
      base::copy_bytes(direction->backend(), direction->block().column(0), backend,
                       start->block().column(1), bytes);
    return solve_from(ParitySide::likely, *std::move(start));
  });
  if (!second) {
    found_.search = SearchEnd::no_memory;
    if (direction != nullptr) leave_unfinished();
    return;
  }
  add_up(found_, *second);
  found_ = *std::move(second);
}

void SectorSolution::solve_other(base::MultiVector direction) {
  auto second =
      if_memory_allows([&] { return solve_from(ParitySide::other, std::move(direction)); });
  if (second) return weigh(*std::move(second));
  leave_unfinished();
}

/// Marks the solution as unfinished, for lack of memory for another state that is known to exist.
void SectorSolution::leave_unfinished() {
  found_.states.front().status = Status::not_converged;
  found_.search = SearchEnd::unfinished;
}

/// Solves a sector in the iterations left.
Result SectorSolution::solve_from(ParitySide side, base::MultiVector start) {
  const std::unique_ptr<const OperatorSector> part = made(side);
  Options rest = options_;
  rest.max_iterations = iterations_left();
  return solve_in(
      side, *part, rest,
      Checkpoint{
          std::move(start), layout_of(problem_of(*part)), {}, found_.iterations, found_.products});
}

/// Merges a state of the other sector, which lies below or is degenerate. The lower one is the
/// result, unless an unfinished one may still become the lower.
void SectorSolution::weigh(Result second) {
  add_up(found_, second);
  const double first = found_.states.front().energy;
  const double energy = second.states.front().energy;
  const bool is_lower = energy < first;
  const bool is_searched = second.search != SearchEnd::not_wanted;
  if (!is_lower && !second.converged()) found_.states.front().status = second.states.front().status;
  if (is_lower) {
    lies_in_ = ParitySide::other;
    std::swap(found_, second);
    if (!is_searched) found_.search = second.search;
  }
  const double upper = std::max(first, energy);
  found_.next = found_.next ? std::min(*found_.next, upper) : upper;
  const bool is_shared = upper - std::min(first, energy) <= found_.beyond.width;
  if (is_shared) found_.beyond.states += 1 + (is_lower ? 0 : second.beyond.states);
  if (is_searched) conclude(second.search, second.search_miss_probability);
  // Partners of the higher state lie within a width of that one.
  if (is_shared && is_lower && second.beyond.states > 0) found_.beyond.counted = false;
}

void SectorSolution::expand(const OperatorSector& part) {
  const base::Backend& backend = whole_.backend;
  const base::MultiVector found = std::move(found_.vectors);
  std::optional<base::MultiVector> moved;
  std::optional<base::MultiVector> states;
  base::run_collectively(ranks_, [&] {
    if (found.backend().is_host() != backend.is_host()) moved.emplace(found.to(backend));
    states.emplace(backend, whole_.matrix.rows(), found.columns(), "the states");
  });
  part.expand(moved ? std::as_const(*moved).block() : found.block(), states->block());
  found_.vectors = *std::move(states);
  found_.layout = layout_of(whole_);
}

Result solve_by_sectors(const Sectors& parts, const Problem& whole, const Options& options,
                        Observer* observer, const Checkpoint* start) {
  return SectorSolution(parts, whole, options, observer).run(start);
}

}  // namespace cisolve::solver
