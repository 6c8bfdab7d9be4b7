#include "solver/parts/solve_by_parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "solver/parts/part_observers.hpp"
#include "solver/parts/search_alone.hpp"
#include "solver/search/search_beside.hpp"

namespace cisolve::solver {
namespace {

using Side = Parts::Side;

constexpr Index kLeastProducts = 40;  // that a part may take until it is clearly above

Problem problem_of(const Part& part, const Problem& whole) {
  return {.matrix = part.matrix(), .backend = whole.backend, .model_block = &part.model_block()};
}

/// Both have what both took, `second` after `first`.
void add_up(Result& first, Result& second) {
  second.history.insert(second.history.begin(), first.history.begin(), first.history.end());
  second.restarts += first.restarts;
  second.model_products += first.model_products;
  second.product_seconds += first.product_seconds;
  second.search_products += first.search_products;
  first.history = second.history;
  first.restarts = second.restarts;
  first.model_products = second.model_products;
  first.product_seconds = second.product_seconds;
  first.search_products = second.search_products;
  first.iterations = second.iterations;
  first.products = second.products;
}

/// Nothing for want of memory, for which what was found before is not lost.
template <class Make>
auto if_memory_allows(Make&& make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const base::Error& error) {
    if (error.fault() != base::Fault::resources) throw;
    return {};
  }
}

class ByParts {
 public:
  ByParts(const Parts& parts, const Problem& whole, const Options& options, Observer* observer)
      : parts_(parts), whole_(whole), options_(options), observer_(observer) {}

  Result run(const Checkpoint* start);

 private:
  bool is_over();
  Result solve_in(Side side, const Part& part, const Options& options,
                  const std::optional<Checkpoint>& start);
  std::optional<Checkpoint> contracted(const Part& likely, const Checkpoint* start) const;
  void look_into_other();
  void make_room();
  SearchAlone search(const Part& other);
  void conclude(SearchEnd end, double doubt);
  void solve_other(const Part& other, base::MultiVector direction);
  void compare_with(const Part& other);
  int iterations_left() const;
  void weigh(Result second);
  void expand(const Part& part);

  const Parts& parts_;
  const Problem& whole_;
  const Options& options_;
  Observer* observer_;
  const base::Stopwatch watch_;
  Result found_{.vectors = base::MultiVector(base::Backend::reference(), 0, 0)};
  Side lies_in_ = Side::likely;
  int before_ = 0;  // iterations, when this began
};

Result ByParts::run(const Checkpoint* start) {
  before_ = start == nullptr ? 0 : start->iterations;
  {
    const std::unique_ptr<const Part> likely = parts_.make(Side::likely);
    found_ = solve_in(Side::likely, *likely, options_, contracted(*likely, start));
  }
  if (!is_over()) look_into_other();
  if (found_.search != SearchEnd::excluded)
    found_.completeness = Completeness::not_checked;  // of the whole
  expand(*parts_.make(lies_in_));
  found_.seconds = watch_.seconds();
  return std::move(found_);
}

/// Where it is not, the state is as good as it can be.
bool ByParts::is_over() {
  const Status status = found_.states.front().status;
  if (found_.search == SearchEnd::stopped) return true;
  const bool is_unfinished = status == Status::stopped || status == Status::not_converged;
  if (found_.search == SearchEnd::not_wanted) return is_unfinished;
  if (is_unfinished) found_.search = SearchEnd::unfinished;  // again, after one that had ended
  return found_.search == SearchEnd::unfinished;
}

Result ByParts::solve_in(Side side, const Part& part, const Options& options,
                         const std::optional<Checkpoint>& start) {
  OfWhole observer(parts_, side, part, whole_.matrix.rows(), observer_);
  return solve(problem_of(part, whole_), options, &observer, start ? &*start : nullptr);
}

/// What the whole vectors of a start have in the likely part.
std::optional<Checkpoint> ByParts::contracted(const Part& likely, const Checkpoint* start) const {
  if (start == nullptr) return {};
  const base::Backend host = whole_.backend.host();
  const base::MultiVector copy =
      start->basis.backend().is_host() ? base::MultiVector(host, 0, 0) : start->basis.to(host);
  const base::MultiVector& whole = start->basis.backend().is_host() ? start->basis : copy;
  const Index rows = likely.matrix().rows();
  constexpr int kMost = 4;  // a state and where it was moving
  const int columns = std::min(whole.columns(), kMost);
  Checkpoint found{base::MultiVector(host, rows, columns, "start vectors"),
                   base::Layout::whole(rows),
                   {},
                   start->iterations,
                   start->products};
  for (int j = 0; j < columns; ++j)
    parts_.contract(Side::likely, whole.block().column(j), found.basis.block().column(j));
  return found;
}

void ByParts::look_into_other() {
  const auto other = if_memory_allows([&] {
    make_room();
    return parts_.make(Side::other);
  });
  if (!other) return conclude(SearchEnd::no_memory, 1);
  if (found_.search == SearchEnd::not_wanted) return compare_with(**other);
  SearchAlone found = search(**other);
  if (!found.has_room) compare_with(**other);
  if (found.direction) return solve_other(**other, *std::move(found.direction));
  const SearchEnd end =
      found.has_room ? end_of(found.search, found.is_close) : SearchEnd::no_memory;
  conclude(end, found.search.doubt);
}

/// Where device memory is short, the state waits on the host.
void ByParts::make_room() {
  const base::Backend& backend = whole_.backend;
  const Index bytes = whole_.matrix.rows() * Index{sizeof(double)};
  constexpr Index kVectors = 6;  // whole ones, that a search in the other part takes
  if (!backend.is_host() && backend.memory().left() < kVectors * bytes)
    found_.vectors = found_.vectors.to(backend.host());
}

SearchAlone ByParts::search(const Part& other) {
  const double shift = found_.states.front().energy + found_.beyond.width;
  const Index spent = found_.products;
  const Index of_solution = found_.products - found_.search_products;
  const Index most = search_allowance(options_, other.matrix().rows(), of_solution, 0);
  KeptState kept(found_.vectors, found_);
  OfWhole observer(parts_, Side::likely, other, whole_.matrix.rows(), observer_);
  const std::vector<double> energies = kept.energies();
  const std::vector<double> residuals = kept.residuals();
  const auto tell = [&] {
    ++found_.products;
    return observer.report({found_.iterations, 1, found_.products, true, energies, residuals,
                            watch_.seconds(), found_.product_seconds, 0, kept});
  };
  SearchAlone found =
      search_alone(problem_of(other, whole_), options_, shift, other.lowest(), most, tell);
  found_.products = spent + found.search.steps;
  found_.search_products += found.search.steps;
  found_.product_seconds += found.seconds;
  found_.history.push_back({found_.iterations, 1, found_.products, true, energies, residuals});
  return found;
}

/// Nothing was missed where the searches of both parts say so.
void ByParts::conclude(SearchEnd end, double doubt) {
  if (found_.search == SearchEnd::not_wanted) return;
  found_.search_doubt = std::min(1.0, found_.search_doubt + doubt);
  if (found_.search == SearchEnd::excluded) found_.search = end;
  const bool excluded = found_.search == SearchEnd::excluded;
  found_.completeness = excluded ? Completeness::searched : Completeness::not_checked;
  found_.beyond.counted = excluded;
}

int ByParts::iterations_left() const {
  return std::max(0, options_.max_iterations - (found_.iterations - before_));
}

void ByParts::solve_other(const Part& other, base::MultiVector direction) {
  const Index rows = direction.rows();
  Options rest = options_;
  rest.max_iterations = iterations_left();
  weigh(solve_in(Side::other, other, rest,
                 Checkpoint{std::move(direction),
                            base::Layout::whole(rows),
                            {},
                            found_.iterations,
                            found_.products}));
}

/// Where no search looks into the other part: which of the two is likely is a guess.
void ByParts::compare_with(const Part& other) {
  Options rest = options_;
  rest.search = SearchEffort::none;
  rest.max_iterations = iterations_left();
  KeptState kept(found_.vectors, found_);
  OfWhole observer(parts_, Side::likely, other, whole_.matrix.rows(), observer_);
  const double energy = found_.states.front().energy + found_.beyond.width;
  const Index most = std::max(kLeastProducts, found_.products);
  AboveOrNot above(energy, found_.products, most, kept, observer);
  auto solved = if_memory_allows([&] { return solve(problem_of(other, whole_), rest, &above); });
  if (!solved) return;
  Result second = *std::move(solved);
  if (!above.goes_on()) found_.search = SearchEnd::stopped;
  if (above.is_above() || above.is_spent() || !above.goes_on()) {
    found_.products += second.products;
    found_.model_products += second.model_products;
    found_.product_seconds += second.product_seconds;
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

/// What was found in the other part lies below, or shares the energy. Of both, the lower one is the
/// result, but what is not finished is not known to be the higher one.
void ByParts::weigh(Result second) {
  add_up(found_, second);
  const double first = found_.states.front().energy;
  const double energy = second.states.front().energy;
  const bool is_lower = energy < first;
  const bool is_searched = second.search != SearchEnd::not_wanted;
  if (!is_lower && !second.converged()) found_.states.front().status = second.states.front().status;
  if (is_lower) {
    lies_in_ = Side::other;
    std::swap(found_, second);
    if (!is_searched) found_.search = second.search;
  }
  const double upper = std::max(first, energy);
  found_.next = found_.next ? std::min(*found_.next, upper) : upper;
  const bool is_shared = upper - std::min(first, energy) <= found_.beyond.width;
  if (is_shared) found_.beyond.states += 1 + (is_lower ? 0 : second.beyond.states);
  if (is_searched) conclude(second.search, second.search_doubt);
  // Those of the higher one lie within a width of that.
  if (is_shared && is_lower && second.beyond.states > 0) found_.beyond.counted = false;
}

void ByParts::expand(const Part& part) {
  const base::Backend& backend = whole_.backend;
  const base::MultiVector halves = found_.vectors.backend().is_host() == backend.is_host()
                                       ? std::move(found_.vectors)
                                       : found_.vectors.to(backend);
  found_.vectors = base::MultiVector(backend, whole_.matrix.rows(), halves.columns(), "the states");
  part.expand(halves.block(), found_.vectors.block());
  found_.layout = layout_of(whole_);
}

}  // namespace

Result solve_by_parts(const Parts& parts, const Problem& whole, const Options& options,
                      Observer* observer, const Checkpoint* start) {
  return ByParts(parts, whole, options, observer).run(start);
}

}  // namespace cisolve::solver
