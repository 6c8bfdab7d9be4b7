#include <functional>
#include <utility>

#include "base/ranks/collective_errors.hpp"
#include "base/ranks/device_channel.hpp"
#include "job/methods/prepare.hpp"
#include "job/run/stages.hpp"
#include "job/states/eigenstates.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/statistics.hpp"
#include "sparse/tiled/tiled.hpp"

// Builds the operator of a job and finds its states, by the first plan whose memory suffices.
namespace cisolve::job {
namespace {

/// Forwards reports and records whether the solution was stopped. Calls `begin` for background work
/// only after a while, since the first steps need the threads of the host.
class ObservedSolution final : public solver::Observer {
 public:
  ObservedSolution(solver::Observer* observer, std::function<void()> begin)
      : observer_(observer), begin_(std::move(begin)) {}
  bool report(const solver::Progress& progress) override {
    constexpr double kWhile = 0.05;  // seconds
    const bool goes_on = observer_ == nullptr || observer_->report(progress);
    stopped_ |= !goes_on;
    const bool has_a_while = progress.seconds > kWhile && goes_on && !progress.last;
    if (begin_ && has_a_while) std::exchange(begin_, nullptr)();
    return goes_on;
  }
  bool has_stopped() const { return stopped_; }

 private:
  solver::Observer* observer_;
  std::function<void()> begin_;  // once
  bool stopped_ = false;
};

/// Runs work(); errors that the solver finds in its operator get its source as a prefix. Collective
/// errors are rethrown unchanged.
template <class Work>
void naming_source(const Request& request, const base::Communicator& ranks, Work work) {
  try {
    work();
  } catch (const base::Error& error) {
    const std::string source = describe_source(request);
    const bool is_named = std::string_view(error.what()).starts_with(source);
    if (ranks.size() > 1 || error.kind() != base::ErrorKind::bad_input || is_named) throw;
    base::fail(base::ErrorKind::bad_input, source, ": ", error.what());
  }
}

/// Tries one plan after the other. Owns the rows of the problem and the operator built from them,
/// until solved() passes both on; refers to all else of the planned job.
class Attempts {
 public:
  Attempts(const JobContext& job, PlannedJob& planned)
      : job_(job),
        planned_(planned),
        built_{std::move(planned.problem.rows), {}, {}, planned.problem.backend} {}

  void run() {
    const bool reports = job_.request.product.wanted || !job_.solves();
    if (reports) describe_matrix();
    while (!try_plan(reports)) {
    }
    if (outcome().result) solver::gather_whole_result(*planned_.workers, *outcome().result);
  }

  SolvedJob solved() && {
    const base::Communicator& workers = *planned_.workers;
    return {std::move(planned_.problem.inputs),
            planned_.problem.host,
            plan(),
            std::make_unique<SolvedOperator>(workers, std::move(built_)),
            std::move(second_),
            std::move(host_state_buffer_)};
  }

 private:
  Outcome& outcome() const { return job_.outcome; }
  const Plan& plan() const { return planned_.plans.plan(); }
  const sparse::FormatOptions& storage() const { return plan().storage; }
  const base::Backend& host() const { return planned_.problem.host; }
  const base::Communicator& workers() const { return *planned_.workers; }

  /// Returns false if memory was short for the plan, so that the next one is to be tried.
  bool try_plan(bool reports) {
    const PhaseTimes before = outcome().times;
    try {
      build();
      if (reports) measure();
      if (job_.solves() && outcome().end == End::done) solve();
      return true;
    } catch (const base::Error& error) {
      if (!may_do_with_less(error)) throw;
      outcome().times = before;
      outcome().times.end("fallback_s");
      fall_back(error.what());
      return false;
    }
  }

  void describe_matrix();
  bool may_do_with_less(const base::Error& error) const;
  void fall_back(const std::string& reason);
  void build();
  bool finds_other_codes();
  void note_actual_encoding();
  void measure();
  void run_while_device_works();
  void solve();
  void find_states(SpinsOn spins, ObservedSolution& observed);

  const JobContext& job_;
  PlannedJob& planned_;
  BuiltOperator built_;            // operator on the plan's backend
  std::optional<Index> nonzeros_;  // set if counted
  BackgroundReading second_;
  HostStateBuffer host_state_buffer_;
};

void Attempts::describe_matrix() {
  const sparse::RowSource& rows = *built_.rows;
  std::optional<sparse::Statistics> statistics;
  job_.listener.watch("reading the rows", rows.shape().rows, [&](const Watch& report_rows) {
    statistics.emplace(sparse::describe(WatchedRows(rows, report_rows), host()));
  });
  const auto lengths = sparse::row_lengths(rows, host());
  nonzeros_ = sparse::total(lengths.span());
  const auto formats = sparse::plan_formats(rows, lengths.span(), storage(), built_.backend);
  job_.listener.described({*statistics, formats, storage()});
  outcome().times.end("describe_s");
}

// A shortage of host memory counts only as a collective error.
bool Attempts::may_do_with_less(const base::Error& error) const {
  if (plan().on_device) return dynamic_cast<const base::DeviceMemoryError*>(&error) != nullptr;
  return base::is_collective(workers(), error) && error.kind() == base::ErrorKind::resources;
}

/// Must be called within the handler of the error with that reason.
void Attempts::fall_back(const std::string& reason) {
  const std::string failed = plan().text();
  const bool on_device = plan().on_device;
  built_.prepared.product.reset();
  host_state_buffer_.release();
  built_.backend = host();  // the device must hold nothing when its free memory is read
  outcome().backend.reset();
  outcome().links.clear();
  outcome().result.reset();
  const double free =
      on_device ? workers().minimum(static_cast<double>(job_.starting.free_device_bytes())) : 0;
  if (!planned_.plans.take_next(static_cast<Index>(free))) {
    if (!on_device) throw;
    throw base::DeviceMemoryError(reason + "; set backend: auto to use the host");
  }
  const bool again = plan().text() == failed;
  job_.note({failed, plan().text() + (again ? " within " + base::human_bytes(plan().limit) : ""),
             reason});
  if (plan().on_device) built_.backend = job_.starting.on_device(plan().limit);
  if (!built_.rows) built_.rows = open_rows(job_.request, host());
}

/// Tiles have no codes for few elements; then slices may have them.
bool Attempts::finds_other_codes() {
  const MeasuredProduct& found = built_.prepared.description;
  if (!must_code(job_.request) || !plan().is_coded() || found.is_coded || workers().size() > 1)
    return false;
  if (storage().format != "tiled") return false;
  if (sparse::may_have_tiles(built_.rows->shape(), found.nonzeros)) return false;
  const std::string failed = plan().text();
  if (!planned_.plans.take_next_coded()) return false;
  job_.note({failed, plan().text(), "the matrix has too few elements for coded tiles"});
  return true;
}

// Codes are dropped if there are too many values for them.
void Attempts::note_actual_encoding() {
  Plan used = plan();
  const MeasuredProduct& product = outcome().product;
  const std::string planned = used.text();
  const bool left_out = used.storage.values == sparse::ValueEncoding::coded && !product.is_coded;
  used.storage.values =
      product.is_coded ? sparse::ValueEncoding::coded : sparse::ValueEncoding::plain;
  if (used.method == &kCoded && !product.is_coded) used.method = &kPrecomputed;
  if (!left_out || !must_code(job_.request)) {
    outcome().plan = std::make_shared<const Plan>(std::move(used));
    return;
  }
  const bool may_have_tiles = sparse::may_have_tiles(built_.rows->shape(), product.nonzeros);
  used.reason = used.storage.format == "tiled" && !may_have_tiles
                    ? "the matrix has too few elements for coded tiles"
                    : "the elements have too many distinct values for codes";
  job_.note({planned, used.text(), used.reason});
  outcome().plan = std::make_shared<const Plan>(std::move(used));
}

void Attempts::build() {
  ProductDrafts& computed = planned_.problem.computed;
  const std::string what =
      plan().stores() ? "building " + storage().format : "preparing to compute elements";
  job_.listener.watch(what, built_.rows->shape().rows, [&](const Watch& report_rows) {
    do {
      built_.prepared.product.reset();
      auto [prepared, layout] = build_distributed_product(workers(), built_.rows, plan(),
                                                          built_.backend, report_rows, &computed);
      built_.prepared = std::move(prepared);
      built_.layout = std::move(layout);
    } while (finds_other_codes());
  });
  MeasuredProduct& product = built_.prepared.description;
  if (!plan().stores()) product.nonzeros = nonzeros_.value_or(0);
  outcome().product = product;
  outcome().plan = std::make_shared<const Plan>(plan());
  if (plan().stores()) note_actual_encoding();
  outcome().backend = built_.backend;
  if (workers().size() > 1 && !built_.backend.is_host()) {
    const base::DeviceChannel* links = workers().device_channel(built_.backend);
    outcome().links = links == nullptr ? "host memory" : links->name();
  }
  outcome().times.end("build_s");
  job_.listener.built(outcome());
}

void Attempts::measure() {
  measure_product(built_.prepared, built_.backend, built_.rows, job_.request.product);
  const MeasuredProduct& product = outcome().product = built_.prepared.description;
  if (!product.check.passed) outcome().end = End::verification_failed;
  outcome().times.set_product(product.times.median);
  job_.listener.measured(outcome());
  outcome().times.end("measure_s");
}

void Attempts::run_while_device_works() {
  if (job_.ranks.size() > 1 || built_.backend.is_host()) return;
  second_.begin(job_.request, host());
  if (has_determinants(job_.request) || !reads_by_forks(job_.request, false))
    host_state_buffer_.begin(host(), built_.prepared.product->rows(), job_.request.solver.states);
}

void Attempts::find_states(SpinsOn spins, ObservedSolution& observed) {
  const SolverAdapter& view = *planned_.view;
  const StartStates& given = planned_.problem.given;
  const Distribution among{workers(), built_.layout};
  const auto resumed =
      solver::distribute_checkpoint(workers(), view.layout(among), job_.listener.start());
  const auto& start = resumed ? resumed : given.start;
  solver::Options options = solver_options(job_.request);
  if (given.target) options.follow = &*given.target;
  naming_source(job_.request, job_.ranks, [&] {
    outcome().result.emplace(view.solve(*built_.prepared.product, built_.prepared.rows_in,
                                        built_.backend, options, &observed,
                                        start ? &*start : nullptr, spins, among));
  });
}

void Attempts::solve() {
  const SolverAdapter& view = *planned_.view;
  // The solver uses a determinant problem for elements and a site problem for S^2; a product uses
  // the rows that it computes.
  if (determinant_problem_of(built_.rows) == nullptr && !view.asks_spins() && plan().stores())
    built_.rows.reset();
  ObservedSolution observed(job_.listener.observer(), [this] { run_while_device_works(); });
  if (view.basis() == nullptr || built_.backend.is_host()) {
    find_states(SpinsOn::backend, observed);
  } else if (const std::string reason = run_catching_shortage(
                 MemoryOf::device, [&] { find_states(SpinsOn::backend, observed); });
             !reason.empty()) {
    job_.note({"spin functions on the device", "spin functions on the host", reason});
    find_states(SpinsOn::host, observed);
  }
  solver::Result& result = *outcome().result;
  outcome().times.end("solve_s");
  if (!job_.request.product.wanted) outcome().times.set_product(result.seconds_of_a_product());
  if (const std::string& note = planned_.problem.given.note; !note.empty())
    result.note += (result.note.empty() ? "" : "; ") + note;
  if (observed.has_stopped()) outcome().end = End::interrupted;
  job_.listener.solved(outcome());
}

}  // namespace

SolvedJob solve(const JobContext& job, PlannedJob planned) {
  const bool works = planned.workers->size() > 1 || job.is_first();
  if (!works) {
    OpenJob& idle = planned.problem;
    return {std::move(idle.inputs), idle.host, planned.plans.plan(), nullptr, {}, {}};
  }
  Attempts attempts(job, planned);
  attempts.run();
  return std::move(attempts).solved();
}

}  // namespace cisolve::job
