#include "app/commands/job.hpp"

#include <spdlog/spdlog.h>

#include "app/report/descriptions.hpp"
#include "app/report/records.hpp"
#include "app/report/tables.hpp"
#include "base/number.hpp"
#include "job/problem/source.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::app {

Outcome Job::run() {
  open();
  times_.end("open_s");
  const bool reports = configuration_.product.wanted || !solves();
  if (reports) describe();
  std::optional<solver::Result> result;
  with_what_fits([&] {
    build();
    if (reports) measure();
    if (solves() && code_ == ExitCode::success) result = solve();
  });
  if (result && !is_interrupted()) verify(std::move(*result));
  finish();
  return {code_, record(std::move(record_))};
}

void Job::open() {
  const job::Admission admission(configuration_, host_, [this] { return starting_.get(); });
  rows_ = job::open_rows(configuration_, host_, &admission);
  times_.end("open_s");
  backend_ = starting_.get();
  host_ = backend_.host();
  storage_ = job::chosen_storage(configuration_, backend_);
  times_.end("wait_for_backend_s");
  const sparse::MatrixShape shape = rows_->shape();
  out_ << "problem  " << job::describe_source(configuration_) << ": " << base::grouped(shape.rows)
       << " x " << base::grouped(shape.columns) << (shape.symmetric ? ", symmetric" : ", general")
       << '\n'
       << "backend  " << backend_.name() << ", " << backend_.description() << "\n";
  if (const std::string& reason = starting_.refusal(); !reason.empty())
    note({"the device", "the host", reason});
  if (const job::Molecule* molecule = job::molecule_of(*rows_)) {
    for (const std::string& warning : molecule->warnings) spdlog::warn("{}", warning);
    record_.emplace_back("problem", problem_record(configuration_, *molecule));
    record_.emplace_back("space", space_record(configuration_, *molecule));
    write_molecule(out_, configuration_, *molecule);
  } else {
    record_.emplace_back("problem", problem_record(configuration_, shape));
  }
  if (configuration_.elements.threshold > 0)
    spdlog::warn(
        "elements of at most {} are left out: all energies are those of the matrix "
        "without them",
        base::shortest(configuration_.elements.threshold));
  if (!solves()) return;
  job::require_solvable(*rows_, configuration_, host_);
  view_.emplace(configuration_, job::molecule_of(*rows_));
  if (const ci::CsfBasis* basis = view_->basis()) {
    out_ << "spin     S = " << configuration_.space.spin << ": "
         << base::grouped(basis->functions()) << " configuration state functions\n";
    record_.emplace_back("spin_functions", basis->functions());
  }
}

void Job::describe() {
  out_ << '\n';
  const sparse::Statistics statistics =
      watched("reading the rows", rows_->shape().rows, [&](const job::Watch& hear) {
        return sparse::describe(job::WatchedRows(*rows_, hear), host_);
      });
  sparse::write(out_, statistics);
  const auto lengths = sparse::row_lengths(*rows_, host_);
  const auto plans = sparse::plan_formats(*rows_, lengths.span(), storage_, backend_);
  out_ << '\n';
  write_memory_table(out_, plans, storage_.format);
  if (storage_.format == "hybrid" && storage_.boundary == sparse::kAutomatic)
    out_ << "boundary auto: " << boundary_reason(storage_.policy) << '\n';
  out_ << '\n';
  record_.emplace_back("statistics", statistics_record(statistics));
  record_.emplace_back("memory", memory_record(plans));
  times_.end("describe_s");
}

void Job::note(job::Fallback step) {
  spdlog::warn("{}; going on with {} instead of {}", step.reason, step.to, step.from);
  out_ << "fallback " << step.to << " instead of " << step.from << ": " << step.reason << '\n';
  fallbacks_.push_back(std::move(step));
}

void Job::fall_back(const std::string& reason) {
  const job::Plan failed{!backend_.is_host(), storage_.format, backend_.memory().limit()};
  matrix_.reset();
  backend_ = host_;  // so that the device holds nothing of this job when it is asked what is free
  const auto plan = job::smaller_plan(configuration_, failed, starting_.free_device_bytes());
  if (!plan) throw base::DeviceMemoryError(reason + "; 'backend: auto' would take the host");
  note({failed.text(), plan->text(), reason});
  if (plan->on_device) backend_ = starting_.on_device(plan->device_bytes);
  storage_ = job::chosen_storage(configuration_, backend_);
  storage_.format = plan->format;
  if (!rows_) rows_ = job::open_rows(configuration_, host_);
  folder_.start_again(host_);
}

void Job::build() {
  spdlog::debug("building {}", storage_.format);
  const job::Stopwatch watch;
  matrix_ =
      watched("building " + storage_.format, rows_->shape().rows, [&](const job::Watch& hear) {
        return sparse::build_matrix(job::WatchedRows(*rows_, hear), storage_, backend_);
      });
  product_ = job::describe_matrix(*matrix_, watch.seconds());
  if (product_.built_by != product_.backend)
    spdlog::info("the host built {} and the device holds it: it cannot build this itself",
                 storage_.format);
  times_.end("build_s");
  record_.emplace_back("operator", operator_record(product_, storage_));
  record_.emplace_back("backend", backend_record(backend_));
}

void Job::measure() {
  job::measure_product(*matrix_, *rows_, configuration_.product, product_);
  write_product_table(out_, std::span(&product_, 1));
  out_ << '\n';
  write_product_verdict(product_.check);
  times_.set_product(product_.times.median);
  record_.emplace_back("product", product_record(product_, configuration_.product));
  if (!product_.check.passed) code_ = ExitCode::verification_failed;
  const bool last = !solves() || !product_.check.passed;
  record_.emplace_back(last ? "verification" : "product_verification",
                       verification_record(product_.check));
  times_.end("measure_s");
}

void Job::write_product_verdict(const job::ProductCheck& check) {
  if (check.passed)
    out_ << "verified: every row of the product agrees with a recomputation from the source; "
         << "largest error " << base::brief(check.max_error) << " of the sum of |a||x|\n";
  else
    out_ << failure_of(check) << '\n';
  out_ << std::flush;
}

void Job::finish() {
  record_.emplace_back("fallbacks", fallbacks_record(fallbacks_));
  times_.end("write_s");
  const auto times = times_.all();
  record_.emplace_back("timings",
                       Json::object(std::vector<Json::Member>(times.begin(), times.end())));
}

}  // namespace cisolve::app
