#include <filesystem>
#include <iostream>
#include <optional>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/job/eigenstates.hpp"
#include "app/job/interruption.hpp"
#include "app/job/job_folder.hpp"
#include "app/job/result_files.hpp"
#include "app/job/solver_view.hpp"
#include "app/job/source.hpp"
#include "app/job/starting_backend.hpp"
#include "app/job/state_analysis.hpp"
#include "app/job/stopwatch.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/number.hpp"
#include "app/report/progress.hpp"
#include "app/report/progress_bar.hpp"
#include "app/report/records.hpp"
#include "app/report/states.hpp"
#include "app/report/tables.hpp"
#include "base/error.hpp"
#include "sparse/build.hpp"

namespace cisolve::app {
namespace {

/// A job from its matrix to its record. Each step writes what it found and adds it to the record.
class Job {
 public:
  Job(const Configuration& configuration, const Invocation& call, JobFolder& folder,
      StartingBackend& starting, std::ostream& out)
      : configuration_(configuration),
        call_(call),
        folder_(folder),
        out_(out),
        starting_(starting),
        backend_(starting.host()),
        host_(starting.host()) {}

  Outcome run();

 private:
  /// work(watch), with a bar for those who look on.
  template <class Work>
  auto watched(std::string what, Index rows, Work work) const {
    ProgressBar bar(std::move(what), rows, wants_bars(call_));
    return work(bar.watch());
  }

  bool solves() const { return configuration_.solver.states > 0; }
  void open();
  void describe();
  void build();
  void measure();
  void solve();
  void verify(solver::Result result);
  void keep(const solver::Result& result, const solver::Verification& verification,
            const StateAnalysis* analysis);
  solver::Result solve_observed(CheckpointWriter& writer);
  void write_product_verdict(const ProductCheck& check);
  void finish();

  const Configuration& configuration_;
  const Invocation& call_;
  JobFolder& folder_;
  std::ostream& out_;
  StartingBackend& starting_;
  base::Backend backend_;  // the host until the problem is open
  base::Backend host_;
  sparse::FormatOptions storage_;
  std::string started_ = utc_time();
  Stopwatch all_;
  Stopwatch reading_;

  std::unique_ptr<sparse::RowSource> rows_;
  std::unique_ptr<sparse::SparseMatrix> matrix_;
  std::optional<SolverView> view_;
  MeasuredProduct product_;
  ExitCode code_ = ExitCode::success;
  std::vector<Json::Member> record_;
  std::vector<std::pair<std::string, double>> timings_;
};

Outcome Job::run() {
  open();
  const bool reports = configuration_.product.wanted || !solves();
  if (reports) describe();
  build();
  if (reports) measure();
  if (solves() && code_ == ExitCode::success) solve();
  finish();
  return {code_, record(std::move(record_))};
}

void Job::open() {
  rows_ = open_rows(configuration_, host_);
  timings_.emplace_back("open_s", reading_.seconds());
  const Stopwatch waiting;
  backend_ = starting_.get();
  host_ = backend_.host();
  storage_ = chosen_storage(configuration_, backend_);
  timings_.emplace_back("wait_for_backend_s", waiting.seconds());
  const sparse::MatrixShape shape = rows_->shape();
  out_ << "problem  " << describe_source(configuration_) << ": " << grouped(shape.rows) << " x "
       << grouped(shape.columns) << (shape.symmetric ? ", symmetric" : ", general") << '\n'
       << "backend  " << backend_.name() << ", " << backend_.description() << "\n";
  if (const Molecule* molecule = molecule_of(*rows_)) {
    for (const std::string& warning : molecule->warnings) spdlog::warn("{}", warning);
    record_.emplace_back("problem", problem_record(configuration_, *molecule));
    record_.emplace_back("space", space_record(configuration_, *molecule));
  } else {
    record_.emplace_back("problem", problem_record(configuration_, shape));
  }
  if (configuration_.elements.threshold > 0)
    spdlog::warn(
        "elements of at most {} are left out: all energies are those of the matrix "
        "without them",
        shortest(configuration_.elements.threshold));
  if (!solves()) return;
  require_solvable(*rows_, configuration_, host_);
  view_.emplace(configuration_, molecule_of(*rows_));
  if (const ci::CsfBasis* basis = view_->basis()) {
    out_ << "spin     S = " << configuration_.space.spin << ": " << grouped(basis->functions())
         << " configuration state functions\n";
    record_.emplace_back("spin_functions", basis->functions());
  }
}

void Job::describe() {
  out_ << '\n';
  const sparse::Statistics statistics = watched(
      "reading the rows", rows_->shape().rows,
      [&](const Watch& hear) { return sparse::describe(WatchedRows(*rows_, hear), host_); });
  timings_.emplace_back("describe_s", reading_.seconds());
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
}

void Job::build() {
  spdlog::debug("building {}", storage_.format);
  const Stopwatch watch;
  matrix_ = watched("building " + storage_.format, rows_->shape().rows, [&](const Watch& hear) {
    return sparse::build_matrix(WatchedRows(*rows_, hear), storage_, backend_);
  });
  product_ = describe_matrix(*matrix_, watch.seconds());
  if (product_.built_by != product_.backend)
    spdlog::info("the host built {} and the device holds it: it cannot build this itself",
                 storage_.format);
  timings_.emplace_back("build_s", product_.build_seconds);
  record_.emplace_back("operator", operator_record(product_, storage_));
  record_.emplace_back("backend", backend_record(backend_));
}

void Job::measure() {
  measure_product(*matrix_, *rows_, configuration_.product, product_);
  write_product_table(out_, std::span(&product_, 1));
  out_ << '\n';
  write_product_verdict(product_.check);
  timings_.emplace_back("product_s", product_.times.median);
  record_.emplace_back("product", product_record(product_, configuration_.product));
  if (!product_.check.passed) code_ = ExitCode::verification_failed;
  const bool last = !solves() || !product_.check.passed;
  record_.emplace_back(last ? "verification" : "product_verification",
                       verification_record(product_.check));
}

void Job::write_product_verdict(const ProductCheck& check) {
  if (check.passed)
    out_ << "verified: every row of the product agrees with a recomputation from the source; "
         << "largest error " << brief(check.max_error) << " of the sum of |a||x|\n";
  else
    out_ << "VERIFICATION FAILED: row " << grouped(check.worst_row + 1)
         << " of the product is off by " << brief(check.max_error) << " of its sum of |a||x|\n";
  out_ << std::flush;
}

solver::Result Job::solve_observed(CheckpointWriter& writer) {
  ProgressTable progress(std::cerr);
  Observers observers;
  if (call_.verbosity != Verbosity::quiet) observers.add(progress);
  if (folder_.keeps_state()) observers.add(writer);
  const auto start = folder_.take_start();
  return view_->solve(*matrix_, backend_, solver_options(configuration_), &observers,
                      start ? &*start : nullptr);
}

void Job::solve() {
  if (molecule_of(*rows_) == nullptr) rows_.reset();  // the solver asks a molecule for elements
  const Stopwatch watch;
  CheckpointWriter writer = folder_.checkpoint_writer();
  solver::Result result = solve_observed(writer);
  Interruption::refuse();
  timings_.emplace_back("solve_s", watch.seconds());
  if (!configuration_.product.wanted)
    timings_.emplace_back(
        "product_s",
        result.products > 0 ? result.product_seconds / static_cast<double>(result.products) : 0.0);
  if (!result.note.empty()) spdlog::warn("{}", result.note);
  record_.emplace_back("solver", solver_record(result));
  record_.emplace_back("history", history_record(result, configuration_.solver.tolerance));
  if (!writer.has_stopped()) return verify(std::move(result));
  code_ = ExitCode::interrupted;
  out_ << "\ninterrupted in iteration " << result.iterations << "; the checkpoint in "
       << configuration_.output.directory << " keeps what was reached: ci-solve resume "
       << configuration_.output.directory << '\n';
}

void Job::verify(solver::Result result) {
  matrix_.reset();
  view_.reset();
  rows_.reset();
  result.vectors = result.vectors.to(host_);
  Stopwatch watch;
  std::optional<Molecule> molecule;
  if (is_molecular(configuration_)) molecule.emplace(open_molecule(configuration_, host_));
  std::vector<bool> rotated(result.states.size(), false);
  if (molecule) rotated = purify(*molecule, configuration_, result);
  const solver::Verification verification = watched(
      "verifying", result.vectors.rows(),
      [&](const Watch& hear) { return verify_again(configuration_, result, backend_, hear); });
  take_residuals(verification, rotated, result);
  timings_.emplace_back("verify_s", watch.seconds());
  timings_.emplace_back("until_verified_s", all_.seconds());
  watch = Stopwatch();
  std::optional<StateAnalysis> analysis;
  if (molecule) analysis = analyse(*molecule, configuration_, result);
  if (analysis) timings_.emplace_back("analysis_s", watch.seconds());
  out_ << '\n';
  write_states(out_, result, verification);
  out_ << '\n';
  if (analysis) {
    write_descriptions(out_, *analysis);
    out_ << '\n';
  }
  write_verdict(out_, result, verification, configuration_.solver.tolerance);
  if (analysis) write_density_verdict(out_, *analysis, result);
  record_.emplace_back("states", states_record(result, analysis ? &*analysis : nullptr));
  record_.emplace_back("verification", verification_record(verification));
  if (analysis) record_.emplace_back("densities", density_record(*analysis, result));
  if (!result.converged()) code_ = ExitCode::not_converged;
  if (!verification.passed || (analysis && !analysis->failures.empty()))
    code_ = ExitCode::verification_failed;
  keep(result, verification, analysis ? &*analysis : nullptr);
}

void Job::keep(const solver::Result& result, const solver::Verification& verification,
               const StateAnalysis* analysis) {
  out_ << std::flush;  // what was found is seen even if it cannot be kept
  io::Provenance provenance = provenance_of(configuration_, backend_, started_);
  provenance.seconds = timings_;
  const bool has_densities = analysis != nullptr && analysis->densities != "none";
  write_result_files(configuration_, result, verification,
                     has_densities ? &analysis->kept : nullptr, std::move(provenance), host_,
                     folder_.overwrites());
}

void Job::finish() {
  timings_.emplace_back("total_s", all_.seconds());
  record_.emplace_back("timings",
                       Json::object(std::vector<Json::Member>(timings_.begin(), timings_.end())));
}

// The first thing that a newcomer with integrals at hand types.
void refuse_problem_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) return;
  for (const char* known : {".fcidump", ".FCIDUMP", ".mtx", ".h5", ".hdf5"})
    if (extension == known)
      base::fail(base::Fault::usage, path, " is a problem and no configuration; write one for it ",
                 "with: ci-solve init ", path);
}

}  // namespace

Outcome run_job(const Configuration& configuration, const Invocation& call, std::ostream& out,
                bool resumed) {
  // From where on an end can be resumed: a resumed job is on the disk already.
  std::optional<Interruption> interruption;
  if (resumed) interruption.emplace();
  StartingBackend backend(configuration);
  JobFolder folder(configuration, resumed, call.force, backend.host());
  if (!resumed && folder.keeps_state()) interruption.emplace();
  Outcome outcome;
  try {
    outcome = Job(configuration, call, folder, backend, out).run();
  } catch (const base::Error& error) {
    if (error.fault() == base::Fault::cannot_write && folder.holds_state())
      spdlog::info("what was reached is kept in {0}; afterwards: ci-solve resume {0}",
                   configuration.output.directory);
    throw;
  }
  if (interruption) Interruption::close();
  if (outcome.code == ExitCode::interrupted) return outcome;
  write_text_file(folder.record_path(), outcome.record.text(), folder.overwrites());
  if (outcome.code == ExitCode::success) folder.clear();
  spdlog::info("wrote {}", folder.record_path());
  return outcome;
}

Outcome solve(const Invocation& call, std::ostream& out) {
  refuse_problem_file(call.input);
  const Configuration configuration = load_configuration(call.input, call.overrides);
  if (!configuration.sweep.axes.empty())
    spdlog::warn("this runs the job once, as it stands; its sweep is run by: ci-solve sweep {}",
                 call.input);
  return run_job(configuration, call, out, false);
}

}  // namespace cisolve::app
