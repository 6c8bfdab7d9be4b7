#include "app/commands/job_report.hpp"

#include <spdlog/spdlog.h>

#include <iostream>

#include "app/commands/common.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/excitations.hpp"
#include "app/report/progress_bar.hpp"
#include "app/report/selection.hpp"
#include "app/report/sites.hpp"
#include "app/report/tables.hpp"
#include "app/report/warnings.hpp"
#include "app/runs/orbital_files.hpp"
#include "app/runs/result_files.hpp"
#include "base/number.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/plan/plan.hpp"
#include "job/ranking/small_jobs.hpp"
#include "sparse/rows/statistics.hpp"

namespace cisolve::app {

JobReport::JobReport(const Configuration& configuration, const Invocation& call, JobFolder& folder,
                     base::Backend host, std::ostream& out)
    : configuration_(configuration),
      call_(call),
      folder_(folder),
      host_(std::move(host)),
      out_(out),
      started_(utc_time()),
      writer_(folder.checkpoint_writer()),
      results_(configuration, folder.overwrites()),
      progress_(std::cerr),
      record_(configuration) {
  if (call.verbosity != Verbosity::quiet) observers_.add(progress_);
  if (folder.keeps_checkpoints()) observers_.add(writer_);
}

void JobReport::opened(const job::OpenProblem& problem) {
  out_ << "problem  " << job::describe_source(configuration_.request) << ": "
       << base::grouped(problem.shape.rows) << " x " << base::grouped(problem.shape.columns)
       << (problem.shape.symmetric ? ", symmetric" : ", general") << '\n'
       << "backend  " << problem.backend.name() << ", " << problem.backend.description()
       << (problem.is_small ? base::concat("; ", job::kDoneBeforeAStart) : "") << '\n';
  for (const job::Fallback& step : problem.fallbacks) fell_back(step);
  report_problem(problem);
  if (configuration_.request.solver.states > 0)
    require_orbital_files(configuration_, problem.determinant_problem);
  if (configuration_.request.solver.states > 0 && !results_.kept()) decide_kept_vectors(problem);
  if (configuration_.request.elements.threshold > 0)
    spdlog::warn(
        "storage.threshold: elements of at most {} are set to zero, which changes all energies",
        base::shortest(configuration_.request.elements.threshold));
}

void JobReport::report_problem(const job::OpenProblem& problem) {
  record_.opened(problem);
  if (problem.sites != nullptr)
    write_sector(out_, configuration_.request, problem.sites->problem());
  if (problem.determinant_problem == nullptr) return;
  for (const std::string& warning : problem.determinant_problem->warnings)
    spdlog::warn("{}", warning);
  if (const base::Index noise = problem.determinant_problem->noise; noise > 0)
    out_ << "         " << noise << (noise == 1 ? " integral is" : " integrals are")
         << " set to 0: below the rounding error of the largest integral, or forbidden by symmetry "
            "and below 1e-10\n";
  write_molecule(out_, configuration_, *problem.determinant_problem);
}

void JobReport::decide_kept_vectors(const job::OpenProblem& problem) {
  const KeptVectors vectors = results_.expected(problem.shape.rows, problem.determinant_problem);
  results_.decide(vectors);
  if (!vectors.note.empty()) out_ << "results  " << vectors.note << '\n';
}

void JobReport::chose_spin(const ci::CsfBasis& basis) {
  out_ << "spin     S = " << configuration_.request.space.spin.value() << ": "
       << base::grouped(basis.functions()) << " configuration state functions\n";
  record_.chose_spin(basis);
}

void JobReport::described(const job::MatrixDescription& matrix) {
  out_ << '\n';
  sparse::write(out_, matrix.statistics);
  out_ << '\n';
  write_memory_table(out_, matrix.plans, matrix.storage.format);
  if (has_boundary(matrix.storage.format) && matrix.storage.boundary == sparse::kAutomatic)
    out_ << "boundary auto: " << boundary_reason(matrix.storage.policy) << '\n';
  out_ << '\n';
  record_.described(matrix);
}

void JobReport::fell_back(const job::Fallback& step) {
  // The fallback may read input files, which must not overlap with the write.
  writer_.wait_for_write();
  spdlog::warn("{}; using {} instead of {}", step.reason, step.to, step.from);
  out_ << "fallback " << step.to << " instead of " << step.from << ": " << step.reason << '\n';
}

void JobReport::watch(const std::string& what, Index rows,
                      const std::function<void(const job::Watch&)>& work) {
  spdlog::debug("{}", what);
  ProgressBar bar(what, rows, wants_bars(call_));
  work(bar.watch());
}

void JobReport::selected(const job::SelectionRound& round) { write_round(out_, round); }

void JobReport::perturbed(const job::Outcome& found) {
  write_perturbation(out_, *found.selection, *found.result, excitation_unit(configuration_));
  record_.perturbed(found);
}

void JobReport::built(const job::Outcome& found) {
  record_.built(found);
  if (found.product.built_by != found.product.backend)
    spdlog::info(
        "{} was built on the host and copied to the device, which cannot build this format",
        found.plan->storage.format);
  out_ << "matrix   " << found.plan->text() << ", " << base::human_bytes(found.product.memory.held)
       << ": " << found.plan->reason << '\n';
}

void JobReport::measured(const job::Outcome& found) {
  const job::ProductCheck& check = found.product.check;
  write_product_table(out_, std::span(&found.product, 1));
  out_ << '\n';
  if (check.passed)
    out_ << "verified: every row of the product agrees with its recomputation from the source; "
         << "the largest error is " << base::brief(check.max_error) << " times the sum of |a||x|\n";
  else
    out_ << failure_of(check) << '\n';
  out_ << std::flush;
  record_.measured(found);
}

std::vector<Json::Member> JobReport::record_of(const job::Outcome& found) {
  std::vector<Json::Member> members = record_.members(found);
  members.emplace_back("overlapped", Json::object({{"write_s", results_.overlapped_seconds()}}));
  if (results_.kept()) members.emplace_back("output", output_record(*results_.kept()));
  members.emplace_back("warnings", warnings_record());
  return members;
}

}  // namespace cisolve::app
