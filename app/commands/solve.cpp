#include <memory>
#include <optional>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/job_report.hpp"
#include "app/commands/rank_job.hpp"
#include "app/config/error_place.hpp"
#include "app/plot/drawings.hpp"
#include "app/report/shell_word.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/interruption.hpp"
#include "app/runs/result_files.hpp"
#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "job/run/run.hpp"

namespace cisolve::app {
namespace {

// Reports errors of the configuration before existing results. Rank 0 alone opens the folder.
std::unique_ptr<JobFolder> opened_folder(const Configuration& configuration, const Invocation& call,
                                         bool resumed, const base::Backend& host) {
  std::unique_ptr<JobFolder> folder;
  base::run_collectively(*call.ranks, [&] {
    if (call.ranks->rank() > 0) return;
    folder = with_problem_errors_first(configuration, host, [&] {
      static_cast<void>(result_file_names(configuration));
      return std::make_unique<JobFolder>(configuration, resumed, call.force, host);
    });
  });
  return folder;
}

/// The job as the first rank sees it.
CommandOutcome run_leader(const Configuration& configuration, const Invocation& call,
                          job::AsyncBackend& backend, JobFolder& folder, std::ostream& out) {
  try {
    JobReport report(configuration, call, folder, backend.host(), out);
    const job::Outcome found = job::run(configuration.request, backend, report, *call.ranks);
    return {exit_code(found.end), record(report.record_of(found))};
  } catch (const base::Error& error) {
    const bool passes =
        error.kind() == base::ErrorKind::cannot_write || error.kind() == base::ErrorKind::resources;
    if (passes && folder.has_checkpoint())
      spdlog::info("checkpoints are saved in {}; after an interruption run: ci-solve resume {}",
                   configuration.output.directory, shell_word(configuration.output.directory));
    throw;
  }
}

void write_record(const Configuration& configuration, const JobFolder& folder,
                  const CommandOutcome& outcome, bool force) {
  if (folder.overwrites()) {  // remove remains of replaced results
    remove_drawings(configuration.output.directory, force);
    remove_unwritten_results(configuration, folder.replaced());
  }
  write_text_file(folder.record_path(), outcome.record.document(), folder.overwrites(),
                  folder.place());
}

CommandOutcome run(const Configuration& configuration, const Invocation& call, std::ostream& out,
                   bool resumed) {
  const base::Communicator& ranks = *call.ranks;
  require_same_input(ranks, configuration);
  // From here on the job can be resumed: a resumed job is already on disk.
  std::optional<Interruption> interruption;
  const bool leads = ranks.rank() == 0;
  if (resumed) interruption.emplace(leads);
  std::optional<job::AsyncBackend> backend;
  base::run_collectively(ranks, [&] { backend.emplace(configuration.request, resumed); });
  const auto folder = opened_folder(configuration, call, resumed, backend->host());
  if (!resumed && keeps_checkpoints(configuration)) interruption.emplace(leads);
  const CommandOutcome outcome = folder ? run_leader(configuration, call, *backend, *folder, out)
                                        : run_worker(configuration, *backend, ranks);
  if (interruption) Interruption::close();
  if (outcome.code == ExitCode::interrupted) return outcome;
  base::run_collectively(ranks, [&] {
    if (!folder) return;
    write_record(configuration, *folder, outcome, call.force);
    if (outcome.code == ExitCode::success) folder->clear();
    spdlog::info("wrote {}", folder->record_path());
  });
  return outcome;
}

}  // namespace

CommandOutcome run_job(const Configuration& configuration, const Invocation& call,
                       std::ostream& out, bool resumed) {
  try {
    return run(configuration, call, out, resumed);
  } catch (const base::Error& error) {
    throw_with_place(error, configuration);
  }
}

CommandOutcome solve(const Invocation& call, std::ostream& out) {
  const Configuration configuration =
      configuration_for_ranks(call, [&] { return job_of(call, out); });
  warn_of_unused_keys(keys_without_effect(configuration), configuration.request.origin);
  if (!configuration.sweep.axes.empty())
    spdlog::warn("this runs the job once, without its sweep; to run the sweep: ci-solve sweep {}",
                 shell_word(call.input));
  return run_job(configuration, call, out, false);
}

}  // namespace cisolve::app
