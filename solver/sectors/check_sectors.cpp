#include <algorithm>

#include "base/openmp/background.hpp"
#include "solver/search/search_below.hpp"
#include "solver/sectors/sector_solution.hpp"
#include "solver/task/solver_setup.hpp"

// Checks that the state is the lowest of both sectors.
namespace cisolve::solver {
namespace {

constexpr Index kLeastProducts = 40;  // products that a sector may take until clearly above

}  // namespace

void SectorSolution::search_both() {
  if (!is_finished()) {
    found_.search = SearchEnd::unfinished;
    return;
  }
  move_state_to_host_if_needed();
  std::optional<SectorPairOutcome> found = search(true);
  if (found_.above) {
    found_.above.reset();
    if (!found) found = search(true);  // uses the memory that this frees
  }
  if (found)
    settle(*found->likely);
  else
    solve_likely_again(nullptr);
  if (is_over()) return;
  if (found)
    conclude(*std::move(found->other));
  else
    search_other();
}

void SectorSolution::search_other() {
  move_state_to_host_if_needed();
  if (found_.search != SearchEnd::not_wanted)
    if (std::optional<SectorPairOutcome> found = search(false))
      return conclude(*std::move(found->other));
  const auto other = if_memory_allows([&] { return made(ParitySide::other); });
  if (other) compare_with(**other);
  conclude(SearchEnd::no_memory, 1);
}

/// Moves the state to the host if device memory is short: on all ranks, or on none.
void SectorSolution::move_state_to_host_if_needed() {
  const base::Backend& backend = whole_.backend;
  const Index bytes = whole_.matrix.rows() * Index{sizeof(double)};
  constexpr int kVectors = 5;  // full vectors, for a search in addition to products
  if (backend.is_host()) return;
  if (ranks_.all_true(backend.memory().left() >= kVectors * bytes)) return;
  std::optional<base::MultiVector> moved;
  const auto move = [&] { moved.emplace(found_.vectors.to(backend.host())); };
  if (if_memory_allows([&] { return base::run_collectively(ranks_, move), true; }))
    found_.vectors = *std::move(moved);
}

std::vector<const base::MultiVector*> SectorSolution::known() const {
  std::vector<const base::MultiVector*> all = {&found_.vectors};
  if (found_.above) all.push_back(&*found_.above);
  return all;
}

/// Starts host work that overlaps with a device.
void SectorSolution::run_while_device_works(const OperatorSector& likely) {
  if (whole_.backend.is_host()) return;
  if (options_.search == SearchEffort::none)
    begin_model_of_other();
  else
    begin_low_blocks(likely);
}

/// Starts the blocks for the scaling of both searches, which need no state.
void SectorSolution::begin_low_blocks(const OperatorSector& likely) {
  const Index of_likely = layout_of(problem_of(likely)).rows();
  const Index of_other = rows_ - of_likely;
  const auto made = [this](ParitySide side, Index rows) {
    const int size = scaling_block_rows(whole_.backend, rows);
    return size == 0 ? std::nullopt : lowest_block_of(parts_.elements(side), size);
  };
  low_blocks_to_come_ = base::run_in_background(whole_.backend.host(), [=] {
    return LowestRowBlocks{made(ParitySide::likely, of_likely), made(ParitySide::other, of_other)};
  });
}

/// Null if the searches make them, for lack of memory.
const LowestRowBlocks* SectorSolution::low_blocks() {
  if (low_blocks_to_come_.valid()) low_blocks_ = waited_for(low_blocks_to_come_);
  if (low_blocks_)  // collective: a sector's block exists on all ranks or none
    for (std::optional<RowBlock>* block : {&low_blocks_->likely, &low_blocks_->other})
      if (!ranks_.all_true(block->has_value())) block->reset();
  return low_blocks_ ? &*low_blocks_ : nullptr;
}

/// Returns nothing for lack of memory.
std::optional<SectorPairOutcome> SectorSolution::search(bool both) {
  const Index before = found_.products;
  auto found = if_memory_allows([&] {
    std::unique_ptr<const SectorPair> both_parts;
    base::run_collectively(ranks_, [&] { both_parts = parts_.make_both(); });
    return search_in(*both_parts, both);
  });
  if (!found) found_.search_products += found_.products - before;
  return std::move(found).value_or(std::nullopt);
}

std::optional<SectorPairOutcome> SectorSolution::search_in(const SectorPair& parts, bool both) {
  const OperatorSector& other = parts.part(ParitySide::other);
  const State& state = found_.states.front();
  const Index spent = found_.products;
  const Index of_solution = found_.products - found_.search_products;
  FoundState kept(found_.vectors, found_, ranks_);
  ExpandingObserver observer(parts_, ParitySide::likely, other, rows_, watch_, cancellation_);
  const std::vector<double> energies = kept.energies();
  const std::vector<double> residuals = kept.residuals();
  const auto goes_on = [&] {
    ++found_.products;
    return observer.report({found_.iterations, 1, found_.products, true, energies, residuals,
                            watch_.seconds(), found_.product_seconds, 0, kept});
  };
  const SectorSearch searched{.shift = state.energy + found_.beyond.width,
                              .known = both ? known() : std::vector<const base::MultiVector*>(),
                              .next = found_.next.value_or(state.energy),
                              .most = search_product_budget(options_, rows_, of_solution, 0),
                              .low = low_blocks()};
  std::optional<SectorPairOutcome> found =
      search_sectors(parts, {whole_.backend, ranks_}, options_, searched, goes_on);
  if (!found) return {};
  found_.products = spent + found->products;
  found_.search_products += found->products;
  found_.product_seconds += found->seconds;
  found_.timed_products += found->products;
  found_.history.push_back({found_.iterations, 1, found_.products, true, energies, residuals});
  return found;
}

/// Records the search of the likely sector. If it found a state, or a possibly degenerate one, the
/// sector is solved once more, which searches more closely.
void SectorSolution::settle(const SectorOutcome& likely) {
  const SearchEnd end = end_of(likely.search, likely.is_close);
  const bool sees_another =
      likely.is_close && (end == SearchEnd::excluded || end == SearchEnd::shared);
  const bool is_to_look_closer = likely.direction || sees_another;
  if (is_to_look_closer && cancellation_.goes_on())
    return solve_likely_again(likely.direction ? &*likely.direction : nullptr);
  found_.search = SearchEnd::excluded;  // true unless one of the searches says otherwise
  found_.search_miss_probability = 0;
  conclude(is_to_look_closer ? SearchEnd::stopped : end, likely.search.miss_probability);
}

void SectorSolution::conclude(SectorOutcome other) {
  if (other.direction && cancellation_.goes_on()) return solve_other(*std::move(other.direction));
  const SearchEnd end = end_of(other.search, other.is_close);
  conclude(other.direction ? SearchEnd::stopped : end, other.search.miss_probability);
}

/// Nothing was missed if the searches of both sectors say so.
void SectorSolution::conclude(SearchEnd end, double miss_probability) {
  if (found_.search == SearchEnd::not_wanted) return;
  found_.search_miss_probability = std::min(1.0, found_.search_miss_probability + miss_probability);
  const bool is_lower = found_.search == SearchEnd::excluded_lower && end != SearchEnd::excluded;
  if (found_.search == SearchEnd::excluded || is_lower) found_.search = end;
  const bool excluded = found_.search == SearchEnd::excluded;
  found_.completeness = excluded ? Completeness::searched : Completeness::not_checked;
  found_.beyond.counted = excluded;
}

/// Starts the model space of the other sector, if no search will cover it.
void SectorSolution::begin_model_of_other() {
  if (!wants_model(options_, true)) return;
  model_of_other_ = base::run_in_background(whole_.backend.host(), [this] {
    const Index half = rows_ / 2;
    return make_model_space(parts_.elements(ParitySide::other),
                            model_rows(options_, whole_.backend, half), starts_of_model(options_));
  });
}

/// Follows the lowest state of the other sector, if no search covers it: which sector is likely is
/// only a guess.
void SectorSolution::compare_with(const OperatorSector& other) {
  Options rest = options_;
  rest.search = SearchEffort::none;
  rest.max_iterations = iterations_left();
  FoundState kept(found_.vectors, found_, ranks_);
  ExpandingObserver observer(parts_, ParitySide::likely, other, rows_, watch_, cancellation_);
  const double energy = found_.states.front().energy + found_.beyond.width;
  const Index most = std::max(kLeastProducts, found_.products);
  StopWhenAbove above(energy, found_.products, most, kept, observer);
  std::optional<ModelSpace> model;
  if (model_of_other_.valid()) model = waited_for(model_of_other_).value_or(std::nullopt);
  Problem problem = problem_of(other);
  if (model) problem.model = &*model;
  auto solved = if_memory_allows([&] { return solve(problem, rest, &above); });
  if (!solved) return;
  Result second = *std::move(solved);
  if (!above.goes_on()) found_.search = SearchEnd::stopped;
  if (above.is_above() || above.is_spent() || !above.goes_on()) {
    found_.products += second.products;
    found_.model_products += second.model_products;
    found_.product_seconds += second.product_seconds;
    found_.timed_products += second.timed_products;
    found_.history.push_back(
        {found_.iterations, 1, found_.products, true, kept.energies(), kept.residuals()});
    const double seen = second.states.front().energy;
    if (above.is_above()) found_.next = found_.next ? std::min(*found_.next, seen) : seen;
    return;
  }
  for (Iteration& iteration : second.history) {
    iteration.number += found_.iterations;
    iteration.products += found_.products;
  }
  second.iterations += found_.iterations;
  second.products += found_.products;
  weigh(std::move(second));
}

}  // namespace cisolve::solver
