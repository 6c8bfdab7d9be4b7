#include <iostream>

#include <spdlog/spdlog.h>

#include "app/commands/job.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/multiplet.hpp"
#include "app/report/progress.hpp"
#include "app/report/records.hpp"
#include "app/report/states.hpp"
#include "app/runs/interruption.hpp"
#include "base/number.hpp"
#include "job/problem/source.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/mixtures.hpp"

// The part of a job that has states: what is solved, verified, told and kept.
namespace cisolve::app {

solver::Result Job::solve_observed(CheckpointWriter& writer) {
  ProgressTable progress(std::cerr);
  Observers observers;
  if (call_.verbosity != Verbosity::quiet) observers.add(progress);
  if (folder_.keeps_state()) observers.add(writer);
  const auto start = folder_.take_start();
  return view_->solve(*matrix_, backend_, job::solver_options(configuration_), &observers,
                      start ? &*start : nullptr);
}

solver::Result Job::solve() {
  if (job::molecule_of(*rows_) == nullptr)
    rows_.reset();  // the solver asks a molecule for elements
  CheckpointWriter writer = folder_.checkpoint_writer();
  solver::Result result = solve_observed(writer);
  Interruption::refuse();
  times_.end("solve_s");
  if (!configuration_.product.wanted && result.products > 0)
    times_.set_product(result.product_seconds / static_cast<double>(result.products));
  if (!result.note.empty()) spdlog::warn("{}", result.note);
  record_.emplace_back("solver", solver_record(result));
  record_.emplace_back("history", history_record(result, configuration_.solver.tolerance));
  if (!writer.has_stopped()) return result;
  code_ = ExitCode::interrupted;
  out_ << "\ninterrupted in iteration " << result.iterations << "; the checkpoint in "
       << configuration_.output.directory << " keeps what was reached: ci-solve resume "
       << configuration_.output.directory << '\n';
  return result;
}

// A device that has not the room for it leaves it to the host: the states are worth it.
solver::Verification Job::verified(const solver::Result& result) {
  solver::Verification verification;
  const auto by = [&](const base::Backend& backend) {
    verification = watched("verifying", result.vectors.rows(), [&](const job::Watch& hear) {
      return job::verify_again(configuration_, result, backend, hear);
    });
  };
  const std::string reason = attempt([&] { by(backend_); });
  if (reason.empty()) return verification;
  note({"verification on the device", "verification on the host", reason});
  by(host_);
  return verification;
}

void Job::verify(solver::Result result) {
  matrix_.reset();
  view_.reset();
  rows_.reset();
  result.vectors = result.vectors.to(host_);
  std::optional<job::Molecule> molecule;
  if (job::is_molecular(configuration_))
    molecule.emplace(job::open_molecule(configuration_, host_));
  std::vector<bool> rotated(result.states.size(), false);
  if (molecule) rotated = job::purify(*molecule, configuration_, result);
  solver::Verification verification = verified(result);
  job::take_verified(verification, rotated, result);
  times_.end("verify_s");
  std::optional<job::StateAnalysis> analysis;
  if (molecule) analysis = job::analyse(*molecule, configuration_, result);
  if (analysis) {
    job::mark_mixtures(result, verification.beyond, job::has_irreps(*molecule), *analysis);
    verification.fail(analysis->failures);
  }
  times_.end("analysis_s");
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
  record_.emplace_back("s2_note", analysis ? spin_record(*analysis) : Json());
  record_.emplace_back("multiplet", multiplet_record(result, verification));
  record_.emplace_back("verification", verification_record(result, verification));
  if (analysis) record_.emplace_back("densities", density_record(*analysis, result));
  tell_what_is_open(result, verification);
  if (!result.converged()) code_ = ExitCode::not_converged;
  if (!verification.passed) code_ = ExitCode::verification_failed;
  keep(result, verification, analysis ? &*analysis : nullptr);
}

// What the user may want to do next.
void Job::tell_what_is_open(const solver::Result& result,
                            const solver::Verification& verification) {
  if (const std::string cut = cut_multiplet(result, verification); !cut.empty())
    spdlog::warn("{}", cut);
  const bool wanted = result.search != solver::SearchEnd::not_wanted;
  if (result.converged() && wanted &&
      verification.completeness == solver::Completeness::not_checked)
    spdlog::warn("a state may have been missed: {}", completeness_reason(result, verification));
  if (!result.converged() && folder_.holds_state())
    out_ << "what was reached is kept: ci-solve resume " << configuration_.output.directory
         << " --set solver.max_iterations=N goes on with it\n";
}

void Job::keep(const solver::Result& result, const solver::Verification& verification,
               const job::StateAnalysis* analysis) {
  out_ << std::flush;  // what was found is seen even if it cannot be kept
  io::Provenance provenance = provenance_of(configuration_, backend_, started_);
  provenance.seconds = times_.so_far();
  const bool has_densities = analysis != nullptr && analysis->densities != "none";
  write_result_files(configuration_, result, verification,
                     has_densities ? &analysis->kept : nullptr, std::move(provenance), host_,
                     folder_.overwrites());
}

}  // namespace cisolve::app
