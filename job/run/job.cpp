#include "job/run/job.hpp"

#include <algorithm>

#include "base/ranks/agreement.hpp"
#include "base/ranks/device_links.hpp"
#include "base/stopwatch.hpp"
#include "job/plan/computing.hpp"
#include "job/plan/small_jobs.hpp"
#include "job/problem/admission.hpp"
#include "job/products/shared_product.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/tiled/tiled.hpp"

namespace cisolve::job {
namespace {

// The best that is known without counting the rows.
Counts counts_of(const sparse::RowSource& rows, const Admission& admission) {
  Counts counts = admission.counts();
  counts.rows = static_cast<double>(std::min(rows.shape().rows, rows.shape().columns));
  return counts;
}

Fallback orbits_on_host(const SpinProblemRows& spins) {
  return {"orbits of words on the device", "orbits of words on the host", spins.problem().fallback};
}

constexpr auto kSectorsOnHost = "sectors of a lattice are shared out among ranks on the host alone";

/// What is done sooner than it is needed.
template <class Work>
void if_there_is_room(Work work) {
  try {
    work();
  } catch (const base::Error& error) {
    if (error.fault() != base::Fault::resources) throw;
  }
}

}  // namespace

Outcome Job::run() {
  found_.ranks = ranks_.size();
  base::together(ranks_, [&] {
    base::agree(ranks_, [&] { open(); });
    share_backend();
    base::agree(ranks_, [&] { learn_rows(); });
    const Resources resources =
        Resources::of(backend_, request_.paces).agreed(ranks_).among(workers());
    forget_what_some_lack();
    base::agree(ranks_, [&] { plan(resources); });
    choose_workers();
    found_.times.end("open_s");
    if (works()) work();
    conclude();
    tell_end();
  });
  return std::move(found_);
}

void Job::work() {
  const bool reports = request_.product.wanted || !solves();
  if (reports) describe();
  with_what_fits([&] {
    build();
    if (reports) measure();
    if (solves() && found_.end == End::done) solve();
  });
  if (found_.result) solver::bring_whole(*workers_, *found_.result);
}

/// What follows the solution: the first rank has the states, and the others help it.
void Job::conclude() {
  if (workers_->size() > 1 && matrix_.product)
    served_.emplace(*workers_, layout_, *matrix_.product, backend_);
  if (ranks_.rank() > 0) return help();
  if (found_.result && found_.end == End::done) verify();
  let_go();
  told(ranks_, {Wish::end});
}

/// What the first rank asks for.
void Job::help() {
  view_.reset();
  if (!served_) let_go();
  std::unique_ptr<const SecondReading> second;
  const auto read = [&] { second = std::make_unique<const SecondReading>(request_, host_); };
  std::optional<ServedRows> rows;
  serve(ranks_, [&](const Asked& asked) {
    switch (asked.wish) {
      case Wish::product:
      case Wish::diagonal:
      case Wish::purity: return served_->help(asked);
      case Wish::let_go: return let_go();
      case Wish::read_again: return if_there_is_room(read);
      case Wish::share_again:
        return base::agree(ranks_, [&] {
          if (!second) read();
          rows.emplace(ranks_, second->direct(), host_);
        });
      case Wish::rows:
      case Wish::some_rows: return rows->help(asked);
      case Wish::end: return;
    }
  });
  let_go();
}

void Job::tell_end() {
  double end = static_cast<double>(found_.end);
  ranks_.broadcast(std::span(&end, 1), 0);
  found_.end = static_cast<End>(end);
  found_.times.end("write_s");
}

void Job::open() {
  if (ranks_.size() > 1) starting_.begin();
  Admission admission(
      request_, host_, [this] { return starting_.get(); }, workers(),
      [this](const Counts& counts) {
        if (counts.rows > kManyRows || counts.nonzeros > kManyElements) starting_.begin();
      });
  rows_ = open_rows(request_, host_, &admission);
  if (solves())
    given_ = read_given_states(request_, molecule_of(*rows_), rows_->shape().rows, host_);
  counts_ = counts_of(*rows_, admission);
  starting_.refuse_what_is_known_to_fail();
  const bool may_stay = ranks_.size() == 1 && starting_.may_stay_on_host();
  if (may_stay || learns_anywhere(request_)) computed_ = look_at(request_, *rows_, host_, counts_);
  is_small_ = may_stay && is_done_before_a_device_starts();
  found_.times.end("open_s");
  backend_ = is_small_ ? host_ : starting_.get();
  host_ = backend_.host();
  found_.times.end("wait_for_backend_s");
  if (const std::string& reason = starting_.refusal(); !reason.empty())
    found_.fallbacks.push_back({"the device", "the host", reason});
}

bool Job::is_done_before_a_device_starts() const {
  Counts counts = counts_;
  computed_.tell(host_, counts);
  const Resources resources = Resources::of(host_, request_.paces);
  const std::vector<Plan> plans = rank_plans(request_, counts, resources);
  return is_done_before_a_start(request_, counts, resources, plans.front());
}

/// A device on every rank, or the host on all.
void Job::share_backend() {
  if (ranks_.size() == 1) return;
  const bool has_device = !backend_.is_host();
  std::string reason;
  if (!ranks_.all_true(has_device)) reason = "a rank has none";
  if (reason.empty() && is_spins(request_)) reason = kSectorsOnHost;
  base::agree(ranks_, [&] {
    if (!reason.empty() && request_.backend.starts_with("cuda"))
      base::fail(base::Fault::backend, request_.origin, ": backend is ", request_.backend, ", but ",
                 reason, "; expected auto, openmp or reference");
  });
  if (reason.empty()) return;
  if (has_device) found_.fallbacks.push_back({"the devices of all ranks", "the host", reason});
  backend_ = host_;
}

/// What does not depend on the backend was looked at while that was starting.
void Job::learn_rows() {
  if (!learns_anywhere(request_) && !is_small_)
    computed_ = look_at(request_, *rows_, backend_, counts_);
  computed_.tell(backend_, counts_);
}

// Plans are the same on all ranks, also where one had no room to look at its rows, or so little
// that it would compute them by another way than the others.
void Job::forget_what_some_lack() {
  const bool by_blocks = counts_.work && counts_.work->by_blocks;
  if (!ranks_.all_same(by_blocks ? 1 : 0)) counts_.work.reset();
  if (!ranks_.all_true(counts_.profile.has_value())) counts_.profile.reset();
  if (!ranks_.all_true(counts_.work.has_value())) counts_.work.reset();
  if (!ranks_.all_true(counts_.factors.has_value())) counts_.factors.reset();
  if (!counts_.work) computed_.elements.reset();
  if (!counts_.factors) computed_.factors.reset();
  counts_.nonzeros = ranks_.maximum(counts_.nonzeros);
}

void Job::plan(const Resources& resources) {
  plans_.emplace(rank_plans(request_, counts_, resources));
  if (const auto passed = plans_->passed_over()) found_.fallbacks.push_back(*passed);
  if (!plans_->plan().on_device) backend_ = host_;
  const SpinProblemRows* spins = spins_of(*rows_);
  if (spins != nullptr && !spins->problem().fallback.empty())
    found_.fallbacks.push_back(orbits_on_host(*spins));
  const Molecule* molecule = molecule_of(*rows_);
  listener_.opened({rows_->shape(), molecule, spins, backend_, found_.fallbacks, is_small_});
  if (!solves()) return;
  require_solvable(*rows_, request_, host_);
  view_.emplace(request_, molecule, spins_of(*rows_));
  if (view_->basis() == nullptr) return;
  take_functions(request_, *view_->basis(), given_);
  listener_.chose_spin(*view_->basis());
}

/// Whether many ranks do it together.
bool Job::is_shared() const {
  const bool measures = !solves() || request_.product.wanted;
  return ranks_.size() > 1 && !measures;
}

/// Those that a plan is for; ranks of hosts are taken to share a node.
Network Job::workers() const {
  const int ranks = is_shared() ? ranks_.size() : 1;
  if (!backend_.is_host()) return Network::of_devices(ranks);
  return {.ranks = ranks, .on_node = ranks};
}

void Job::choose_workers() {
  if (is_shared())
    workers_ = &ranks_;
  else if (ranks_.size() > 1)
    note({base::concat(ranks_.size(), " ranks"), "one rank",
          "products are measured in one process"});
}

void Job::describe() {
  std::optional<sparse::Statistics> statistics;
  listener_.watch("reading the rows", rows_->shape().rows, [&](const Watch& hear) {
    statistics.emplace(sparse::describe(WatchedRows(*rows_, hear), host_));
  });
  const auto lengths = sparse::row_lengths(*rows_, host_);
  nonzeros_ = sparse::total(lengths.span());
  const auto plans = sparse::plan_formats(*rows_, lengths.span(), storage(), backend_);
  listener_.described({*statistics, plans, storage()});
  found_.times.end("describe_s");
}

void Job::tell_orbits(const SpinProblemRows& spins) {
  if (!spins.problem().fallback.empty()) note(orbits_on_host(spins));
}

void Job::note(Fallback step) {
  listener_.fell_back(step);
  found_.fallbacks.push_back(std::move(step));
}

// Of the host's memory the others have to know, if there are any.
bool Job::may_do_with_less(const base::Error& error) const {
  if (plans_->plan().on_device)
    return dynamic_cast<const base::DeviceMemoryError*>(&error) != nullptr;
  return base::is_agreed(*workers_, error) && error.fault() == base::Fault::resources;
}

void Job::fall_back(const std::string& reason) {
  const std::string failed = plans_->plan().text();
  const bool on_device = plans_->plan().on_device;
  matrix_.product.reset();
  room_at_home_.let_go();
  backend_ = host_;  // so that the device holds nothing of this job when it is asked what is free
  found_.backend.reset();
  found_.links.clear();
  found_.result.reset();
  const double free =
      on_device ? workers_->minimum(static_cast<double>(starting_.free_device_bytes())) : 0;
  if (!plans_->step_down(static_cast<Index>(free))) {
    if (!on_device) throw;
    throw base::DeviceMemoryError(reason + "; 'backend: auto' would take the host");
  }
  const Plan& plan = plans_->plan();
  const bool again = plan.text() == failed;
  note({failed, plan.text() + (again ? " within " + base::human_bytes(plan.limit) : ""), reason});
  if (plan.on_device) backend_ = starting_.on_device(plan.limit);
  if (!rows_) rows_ = open_rows(request_, host_);
}

/// Tiles have none where there are few elements; then slices may have them.
bool Job::finds_other_codes() {
  const MeasuredProduct& found = matrix_.description;
  if (!must_code(request_) || computes() || found.is_coded || workers_->size() > 1) return false;
  if (storage().format != "tiled") return false;
  if (sparse::may_have_tiles(rows_->shape(), found.nonzeros)) return false;
  const std::string failed = plans_->plan().text();
  if (!plans_->step_to_other_codes()) return false;
  note({failed, plans_->plan().text(), "it has too few elements for tiles with codes"});
  return true;
}

// Codes are left out where there are too many values for them.
void Job::tell_values() {
  Plan& plan = found_.plan;
  const std::string planned = plan.text();
  const bool left_out = plan.storage.values == sparse::Values::coded && !found_.product.is_coded;
  plan.storage.values = found_.product.is_coded ? sparse::Values::coded : sparse::Values::plain;
  plan.elements = elements_of(plan.storage);
  if (!left_out || !must_code(request_)) return;
  const bool may_have_tiles = sparse::may_have_tiles(rows_->shape(), found_.product.nonzeros);
  plan.reason = plan.storage.format == "tiled" && !may_have_tiles
                    ? "it has too few elements for tiles with codes"
                    : "its elements have too many values to be coded";
  note({planned, plan.text(), plan.reason});
}

void Job::build() {
  const std::string what =
      computes() ? "preparing to compute elements" : "building " + storage().format;
  listener_.watch(what, rows_->shape().rows, [&](const Watch& hear) {
    if (!computes_any(storage())) computed_ = {};
    do {
      matrix_.product.reset();
      auto [prepared, layout] =
          share_product(*workers_, *rows_, storage(), backend_, hear, &computed_);
      matrix_ = std::move(prepared);
      layout_ = std::move(layout);
    } while (finds_other_codes());
  });
  if (computes()) matrix_.description.nonzeros = nonzeros_.value_or(0);
  found_.product = matrix_.description;
  found_.plan = plans_->plan();
  if (!computes()) tell_values();
  found_.backend = backend_;
  if (workers_->size() > 1 && !backend_.is_host()) {
    const base::DeviceLinks* links = workers_->links(backend_);
    found_.links = links == nullptr ? "the memory of the host" : links->name();
  }
  found_.times.end("build_s");
  listener_.built(found_);
}

void Job::measure() {
  measure_product(matrix_, backend_, *rows_, request_.product);
  found_.product = matrix_.description;
  if (!found_.product.check.passed) found_.end = End::verification_failed;
  found_.times.set_product(found_.product.times.median);
  listener_.measured(found_);
  found_.times.end("measure_s");
}

Outcome run(const Request& request, StartingBackend& starting, Listener& listener,
            const base::Communicator& ranks) {
  return Job(request, starting, listener, ranks).run();
}

Outcome run(const Request& request, Listener& listener) {
  StartingBackend starting(request, false);
  return run(request, starting, listener);
}

Outcome run(const Request& request) {
  Listener nobody;
  return run(request, nobody);
}

}  // namespace cisolve::job
