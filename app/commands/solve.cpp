#include <optional>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/job_report.hpp"
#include "app/plot/drawings.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/interruption.hpp"
#include "app/runs/result_files.hpp"
#include "base/error.hpp"
#include "job/run/run.hpp"

namespace cisolve::app {
namespace {

// What is wrong with the configuration is said before that results are in its way.
JobFolder opened_folder(const Configuration& configuration, bool resumed, bool force,
                        const base::Backend& host) {
  return with_problem_first(configuration, host, [&] {
    static_cast<void>(result_file_names(configuration));
    return JobFolder(configuration, resumed, force, host);
  });
}

}  // namespace

Outcome run_job(const Configuration& configuration, const Invocation& call, std::ostream& out,
                bool resumed) {
  // From where on an end can be resumed: a resumed job is on the disk already.
  std::optional<Interruption> interruption;
  if (resumed) interruption.emplace();
  job::StartingBackend backend(configuration, resumed);
  JobFolder folder = opened_folder(configuration, resumed, call.force, backend.host());
  if (!resumed && folder.keeps_state()) interruption.emplace();
  Outcome outcome;
  try {
    JobReport report(configuration, call, folder, backend.host(), out);
    const job::Outcome found = job::run(configuration, backend, report);
    outcome = {exit_code(found.end), record(report.record_of(found))};
  } catch (const base::Error& error) {
    const bool passes =
        error.fault() == base::Fault::cannot_write || error.fault() == base::Fault::resources;
    if (passes && folder.holds_state())
      spdlog::info("what was reached is kept in {0}; afterwards: ci-solve resume {0}",
                   configuration.output.directory);
    throw;
  }
  if (interruption) Interruption::close();
  if (outcome.code == ExitCode::interrupted) return outcome;
  if (folder.overwrites()) {  // nothing of replaced results stays beside the new ones
    remove_drawings(configuration.output.directory);
    remove_unwritten_results(configuration);
  }
  write_text_file(folder.record_path(), outcome.record.document(), folder.overwrites());
  if (outcome.code == ExitCode::success) folder.clear();
  spdlog::info("wrote {}", folder.record_path());
  return outcome;
}

Outcome solve(const Invocation& call, std::ostream& out) {
  const Configuration configuration = job_of(call, out);
  warn_of_idle_keys(keys_without_effect(configuration), configuration.origin);
  if (!configuration.sweep.axes.empty())
    spdlog::warn("this runs the job once, as it stands; its sweep is run by: ci-solve sweep {}",
                 call.input);
  return run_job(configuration, call, out, false);
}

}  // namespace cisolve::app
