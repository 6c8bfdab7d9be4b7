#include "job/run/job.hpp"

#include "base/ranks/agreement.hpp"
#include "base/ranks/device_links.hpp"
#include "base/stopwatch.hpp"
#include "job/plan/computing.hpp"
#include "job/products/shared_product.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/tiled/tiled.hpp"

namespace cisolve::job {
namespace {

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
  if (found_.result && found_.end == End::done) {
    listener_.found(found_);
    verify();
  }
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
