#include "solver/sectors/search_sectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "solver/search/search_below.hpp"

namespace cisolve::solver {
namespace {

constexpr double kSmallestShare = 1e-2;  // fraction of the diagonal's width

int known_columns(const SectorSearch& searched) {
  int columns = 0;
  for (const base::MultiVector* some : searched.known) columns += some->columns();
  return columns;
}

/// Search of one sector, with its vectors and progress.
class RunningSearch {
 public:
  RunningSearch(const SectorPair& parts, ParitySide side, const VectorPlacement& where,
                const Options& options, const SectorSearch& searched)
      : parts_(parts),
        side_(side),
        problem_{.matrix = parts.part(side).matrix(),
                 .backend = where.backend,
                 .communicator = where.ranks,
                 .layout = parts.part(side).layout(),
                 .model_block = &parts.part(side).model_block(),
                 .low = searched.low == nullptr ? nullptr : searched.low->of(side)},
        options_(options),
        known_(side == ParitySide::likely ? known_columns(searched) : 0),
        vectors_(where.backend, where.ranks, layout_of(problem_), std::max(1, known_)),
        workspace_(vectors_.make(MissedStates::kOwn + known_, "the search for missed states")) {
    begin(searched);
  }
  RunningSearch(const RunningSearch&) = delete;
  RunningSearch& operator=(const RunningSearch&) = delete;

  bool is_open() const { return !end_; }
  void next_vector() { missed_->next_vector(); }
  void accept_image() { close(missed_->accept_image()); }
  void limit(int most) {
    close(missed_->limit(most, may_end_early(options_, vectors_.dimension())));
  }
  void stop() { close(missed_->so_far(SearchVerdict::stopped)); }

  SectorOutcome outcome() {
    SectorOutcome found{*end_, may_be_close(options_, *end_), {}};
    if (end_->verdict != SearchVerdict::found) return found;
    found.direction.emplace(vectors_.make(1, "a direction to a missed state"));
    missed_->point_to_found(*found.direction);
    return found;
  }

 private:
  void begin(const SectorSearch& searched) {
    Options plain = options_;  // serves for the diagonal and some elements only
    plain.preconditioner = PreconditionerKind::diagonal;
    plain.start = StartKind::random;
    MeteredOperator matrix(problem_);
    const SolverSetup setup(problem_, plain, matrix, vectors_);
    const double least = kSmallestShare * setup.width_of_diagonal();
    const double next = side_ == ParitySide::likely ? searched.next : parts_.part(side_).lowest();
    const double floor = std::isfinite(next) ? std::max(next - searched.shift, least) : least;
    std::vector<Columns> columns;
    for (int j = 0; j < MissedStates::kOwn; ++j) columns.push_back(columns_of(workspace_, j, 1));
    columns.emplace_back(parts_.image(side_));
    columns.emplace_back(parts_.source(side_));
    const Columns meanwhile = columns_of(workspace_, MissedStates::kOwn, known_);
    if (side_ == ParitySide::likely) take_known(searched, meanwhile);
    missed_.emplace(vectors_, setup, SearchRegion{searched.shift}, floor, meanwhile, columns);
    const auto seed = base::mix(options_.seed + 1, side_ == ParitySide::likely ? 1 : 0);
    if (!missed_->begin(seed)) end_ = kNothingOutside;
  }
  void take_known(const SectorSearch& searched, Columns meanwhile) {
    int at = 0;
    for (const base::MultiVector* some : searched.known) {
      vectors_.from(*some, vectors_.layout(), meanwhile.slice(at, some->columns()));
      at += some->columns();
    }
  }
  void close(std::optional<SearchRun> end) {
    if (end) end_ = end;
  }

  const SectorPair& parts_;
  ParitySide side_;
  Problem problem_;
  const Options& options_;
  int known_;
  Vectors vectors_;
  base::MultiVector workspace_;
  std::optional<MissedStates> missed_;
  std::optional<SearchRun> end_;
};

/// Searches of both sectors or of one, with their products.
class RunningSearches {
 public:
  RunningSearches(const SectorPair& parts, const VectorPlacement& where, const Options& options,
                  const SectorSearch& searched)
      : parts_(parts), backend_(where.backend) {
    if (!searched.known.empty())
      likely_.emplace(parts, ParitySide::likely, where, options, searched);
    other_.emplace(parts, ParitySide::other, where, options, searched);
  }

  bool is_open() const { return is_open(likely_) || is_open(other_); }

  void step(double shift) {
    for_each_open([](RunningSearch& course) { course.next_vector(); });
    backend_.synchronize();
    const base::Stopwatch watch;
    if (is_open(likely_) && is_open(other_))
      parts_.multiply_both(shift);
    else
      parts_.multiply(is_open(likely_) ? ParitySide::likely : ParitySide::other, shift);
    backend_.synchronize();
    seconds_ += watch.seconds();
    ++products_;
    for_each_open([](RunningSearch& course) { course.accept_image(); });
  }

  template <class Do>
  void for_each_open(Do what) {
    if (is_open(likely_)) what(*likely_);
    if (is_open(other_)) what(*other_);
  }

  SectorPairOutcome outcome() {
    SectorPairOutcome found;
    if (likely_) found.likely = likely_->outcome();
    found.other = other_->outcome();
    found.products = products_;
    found.seconds = seconds_;
    return found;
  }

 private:
  static bool is_open(const std::optional<RunningSearch>& course) {
    return course && course->is_open();
  }

  const SectorPair& parts_;
  base::Backend backend_;
  std::optional<RunningSearch> likely_;
  std::optional<RunningSearch> other_;
  Index products_ = 0;
  double seconds_ = 0;
};

/// Memory for the longer vectors, on all ranks.
bool have_room(const SectorPair& parts, const VectorPlacement& where, int known, bool both) {
  constexpr int kFurtherVectors = 1;  // the diagonal for the scaling, or the direction found
  const Index rows = std::max(parts.part(ParitySide::likely).matrix().rows(),
                              parts.part(ParitySide::other).matrix().rows());
  const int columns = (both ? 2 : 1) * MissedStates::kOwn + known + kFurtherVectors;
  return where.ranks.all_true(where.backend.memory().left() >=
                              columns * rows * Index{sizeof(double)});
}

}  // namespace

std::optional<SectorPairOutcome> search_sectors(const SectorPair& parts,
                                                const VectorPlacement& where,
                                                const Options& options,
                                                const SectorSearch& searched,
                                                const std::function<bool()>& goes_on) {
  if (!have_room(parts, where, known_columns(searched), !searched.known.empty())) return {};
  RunningSearches courses(parts, where, options, searched);
  const int most =
      static_cast<int>(std::min<Index>(searched.most, std::numeric_limits<int>::max()));
  while (courses.is_open()) {
    courses.step(searched.shift);
    if (courses.is_open() && !goes_on())
      courses.for_each_open([](RunningSearch& course) { course.stop(); });
    courses.for_each_open([&](RunningSearch& course) { course.limit(most); });
  }
  return courses.outcome();
}

}  // namespace cisolve::solver
