#include "solver/parts/solve_by_parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "solver/parts/search_alone.hpp"
#include "solver/search/search_beside.hpp"

namespace cisolve::solver {
namespace {

using Side = Parts::Side;

Problem problem_of(const Part& part, const Problem& whole) {
  return {.matrix = part.matrix(), .backend = whole.backend, .model_block = &part.model_block()};
}

/// Tells of the whole what a solver of a part tells.
class OfWhole final : public Observer {
 public:
  OfWhole(const Parts& parts, Side side, Index rows, Observer* observer)
      : parts_(parts), side_(side), rows_(rows), observer_(observer) {}

  bool report(const Progress& progress) override {
    if (observer_ == nullptr) return true;
    Source source(*this, progress.state);
    return observer_->report({progress.iteration, progress.subspace, progress.products,
                              progress.searching, progress.energies, progress.residuals,
                              progress.seconds, progress.product_seconds, progress.bytes_per_second,
                              source, progress.last});
  }

 private:
  class Source final : public CheckpointSource {
   public:
    Source(const OfWhole& of, CheckpointSource& state) : of_(of), state_(state) {}
    Snapshot snapshot() override {
      return state_.snapshot().of_whole(of_.rows_, [this](const double* part, double* whole) {
        of_.parts_.expand(of_.side_, part, whole);
      });
    }
    const base::Communicator& ranks() const override { return state_.ranks(); }

   private:
    const OfWhole& of_;
    CheckpointSource& state_;
  };

  const Parts& parts_;
  Side side_;
  Index rows_;
  Observer* observer_;
};

/// What a search of one part goes on from, while it looks into the other one.
class KeptState final : public CheckpointSource {
 public:
  KeptState(const base::MultiVector& vectors, const Result& result)
      : vectors_(vectors),
        result_(result),
        work_(vectors.backend(), kOneProcess, result.layout, vectors.columns()) {}

  Snapshot snapshot() override {
    SmallMatrix itself(vectors_.columns(), vectors_.columns());
    for (int j = 0; j < vectors_.columns(); ++j) itself(j, j) = 1;
    return {work_,      ConstColumns(vectors_), itself,
            energies(), result_.iterations,     result_.products};
  }
  const base::Communicator& ranks() const override { return kOneProcess; }
  std::vector<double> energies() const {
    std::vector<double> all;
    for (const State& state : result_.states) all.push_back(state.energy);
    return all;
  }
  std::vector<double> residuals() const {
    std::vector<double> all;
    for (const State& state : result_.states) all.push_back(state.residual);
    return all;
  }

 private:
  const base::MultiVector& vectors_;
  const Result& result_;
  Vectors work_;
};

class ByParts {
 public:
  ByParts(const Parts& parts, const Problem& whole, const Options& options, Observer* observer)
      : parts_(parts), whole_(whole), options_(options), observer_(observer) {}

  Result run(const Checkpoint* start);

 private:
  Result solve_in(Side side, const Part& part, const std::optional<Checkpoint>& start);
  std::optional<Checkpoint> contracted(const Part& likely, const Checkpoint* start) const;
  void look_into_other();
  void make_room();
  SearchAlone search(const Part& other);
  void conclude(SearchEnd end, double doubt);
  void solve_other(const Part& other, base::MultiVector direction);
  void expand(const Part& part);

  const Parts& parts_;
  const Problem& whole_;
  const Options& options_;
  Observer* observer_;
  const base::Stopwatch watch_;
  Result found_{.vectors = base::MultiVector(base::Backend::reference(), 0, 0)};
  Side lies_in_ = Side::likely;
};

Result ByParts::run(const Checkpoint* start) {
  {
    const std::unique_ptr<const Part> likely = parts_.make(Side::likely);
    found_ = solve_in(Side::likely, *likely, contracted(*likely, start));
  }
  const bool is_over = found_.search == SearchEnd::unfinished ||
                       found_.search == SearchEnd::stopped ||
                       found_.search == SearchEnd::not_wanted;
  if (!is_over) look_into_other();
  expand(*parts_.make(lies_in_));
  found_.seconds = watch_.seconds();
  return std::move(found_);
}

Result ByParts::solve_in(Side side, const Part& part, const std::optional<Checkpoint>& start) {
  OfWhole observer(parts_, side, whole_.matrix.rows(), observer_);
  return solve(problem_of(part, whole_), options_, &observer, start ? &*start : nullptr);
}

/// What the whole vectors of a start have in the likely part.
std::optional<Checkpoint> ByParts::contracted(const Part& likely, const Checkpoint* start) const {
  if (start == nullptr) return {};
  const base::Backend host = whole_.backend.host();
  const base::MultiVector copy =
      start->basis.backend().is_host() ? base::MultiVector(host, 0, 0) : start->basis.to(host);
  const base::MultiVector& whole = start->basis.backend().is_host() ? start->basis : copy;
  const Index rows = likely.matrix().rows();
  Checkpoint found{base::MultiVector(host, rows, whole.columns(), "start vectors"),
                   base::Layout::whole(rows), start->energies, start->iterations, start->products};
  for (int j = 0; j < whole.columns(); ++j)
    parts_.contract(Side::likely, whole.block().column(j), found.basis.block().column(j));
  return found;
}

/// What was found is not lost for want of memory to look for more.
void ByParts::look_into_other() {
  try {
    make_room();
    const std::unique_ptr<const Part> other = parts_.make(Side::other);
    SearchAlone found = search(*other);
    if (found.direction) return solve_other(*other, *std::move(found.direction));
    const SearchEnd end = found.has_room ? end_of(found.search, true) : SearchEnd::no_memory;
    conclude(end, found.search.doubt);
  } catch (const base::Error& error) {
    if (error.fault() != base::Fault::resources) throw;
    conclude(SearchEnd::no_memory, 1);
  }
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
  OfWhole observer(parts_, Side::likely, whole_.matrix.rows(), observer_);
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
  found_.search_doubt = std::min(1.0, found_.search_doubt + doubt);
  if (found_.search == SearchEnd::excluded) found_.search = end;
  const bool excluded = found_.search == SearchEnd::excluded;
  found_.completeness = excluded ? Completeness::searched : Completeness::not_checked;
  found_.beyond.counted = excluded;
}

/// What was found lies below, or shares the energy. Of both, the lower one is the result.
void ByParts::solve_other(const Part& other, base::MultiVector direction) {
  const Index rows = direction.rows();
  Result second = solve_in(
      Side::other, other,
      Checkpoint{
          std::move(direction), base::Layout::whole(rows), {}, found_.iterations, found_.products});
  second.history.insert(second.history.begin(), found_.history.begin(), found_.history.end());
  second.restarts += found_.restarts;
  second.model_products += found_.model_products;
  second.product_seconds += found_.product_seconds;
  second.search_products += found_.search_products;
  const double first = found_.states.front().energy;
  const double energy = second.states.front().energy;
  if (energy < first) {
    lies_in_ = Side::other;
    std::swap(found_, second);
  }
  const double upper = std::max(first, energy);
  found_.next = found_.next ? std::min(*found_.next, upper) : upper;
  if (upper - std::min(first, energy) <= found_.beyond.width)
    found_.beyond.states += 1 + second.beyond.states;
  conclude(second.search, second.search_doubt);
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
