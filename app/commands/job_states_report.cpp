#include <spdlog/spdlog.h>

#include "app/commands/job_report.hpp"
#include "app/report/configurations.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/dyson.hpp"
#include "app/report/entropies.hpp"
#include "app/report/excitations.hpp"
#include "app/report/multiplet.hpp"
#include "app/report/natural_occupations.hpp"
#include "app/report/properties.hpp"
#include "app/report/residual_trend.hpp"
#include "app/report/shell_word.hpp"
#include "app/report/sites.hpp"
#include "app/report/size_corrections.hpp"
#include "app/report/states.hpp"
#include "app/report/transition_orbitals.hpp"
#include "app/runs/interruption.hpp"
#include "app/runs/natural_integrals.hpp"
#include "app/runs/result_files.hpp"
#include "job/request/shortage.hpp"

// Reports and saves the states of a job.
namespace cisolve::app {

solver::Observer* JobReport::observer() { return &observers_; }

std::optional<solver::Checkpoint> JobReport::start() {
  writer_.wait_for_write();  // a write that failed has left a checkpoint if it could
  if (began_) folder_.start_again(host_);
  began_ = true;
  return folder_.take_start();
}

void JobReport::solved(const job::Outcome& found) {
  Interruption::refuse();
  const solver::Result& result = *found.result;
  if (result.converged() && folder_.has_checkpoint())  // the older one suffices until
    writer_.give_up();
  else
    writer_.wait_for_write();
  if (!result.note.empty()) spdlog::warn("{}", result.note);
  record_.solved(found);
  if (found.end != job::End::interrupted) return;
  out_ << "\ninterrupted in iteration " << result.iterations << "; its checkpoint is in "
       << configuration_.output.directory << "; resume with: ci-solve resume "
       << shell_word(configuration_.output.directory) << '\n';
}

/// The last checkpoint of a converged solution is older than its states.
void JobReport::found(const job::Outcome& so_far) {
  if (folder_.keeps_checkpoints() && so_far.result->converged()) writer_.keep(*so_far.result);
}

void JobReport::verified(const job::Outcome& found) {
  report_states(found);
  record_.verified(found);
  report_open_issues(found);
  out_ << std::flush;  // shows the results even if they cannot be written
  results_.finish(found, started_);
  if (!results_.left_out().empty()) spdlog::warn("{}", results_.left_out());
  report_natural_integrals(found);
}

// The results are kept even if memory is short for integrals over other orbitals.
void JobReport::report_natural_integrals(const job::Outcome& found) {
  std::string said;
  const std::string short_of = job::run_catching_shortage(job::MemoryOf::any, [&] {
    said = write_natural_integrals(configuration_, found, folder_.overwrites());
  });
  if (!short_of.empty()) spdlog::warn("{} was not written: {}", kNaturalFcidump, short_of);
  if (!said.empty()) out_ << said << '\n';
}

void JobReport::report_states(const job::Outcome& found) {
  out_ << '\n';
  write_states(out_, *found.result, *found.verification, excitation_unit(configuration_));
  out_ << '\n';
  if (found.analysis) {
    write_descriptions(out_, *found.analysis);
    write_configurations(out_, *found.analysis);
    write_natural_occupations(out_, *found.analysis);
    write_entropies(out_, *found.analysis);
    write_size_corrections(out_, *found.analysis, *found.result);
    out_ << '\n';
    write_sites(out_, *found.analysis, *found.result);
    if (found.analysis->states.front().sites) out_ << '\n';
    if (found.analysis->properties)
      write_properties(out_, *found.analysis->properties, configuration_.output.units);
    write_transition_orbitals(out_, *found.analysis);
    write_dyson(out_, *found.analysis, *found.result, excitation_unit(configuration_));
  }
  write_verdict(out_, *found.result, *found.verification, configuration_.request.solver.tolerance);
  if (found.analysis) write_density_verdict(out_, *found.analysis, *found.result);
}

// Suggests what the user may do next.
void JobReport::report_open_issues(const job::Outcome& found) {
  const solver::Result& result = *found.result;
  if (configuration_.output.trexio && result.states.size() > 1)
    spdlog::warn(
        "states.trexio.h5 holds all states, but the TREXIO library 2.6 reads only the first; read "
        "the others from its data sets determinant_coefficient_state_1, "
        "determinant_coefficient_state_2 and so on");
  for (const std::string& doubt : doubts_of(result, *found.verification)) spdlog::warn("{}", doubt);
  if (!result.converged() && folder_.has_checkpoint())
    out_ << "the last checkpoint was saved; continue with: ci-solve resume "
         << shell_word(configuration_.output.directory) << " --set "
         << (wants_iterations(result) ? "solver.max_iterations=N" : "solver.tolerance=X") << '\n';
}

}  // namespace cisolve::app
