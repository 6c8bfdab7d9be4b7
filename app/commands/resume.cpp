#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/runs/job_folder.hpp"
#include "app/runs/sweep_folder.hpp"

namespace cisolve::app {
namespace {

Outcome ended(const std::string& directory, const char* what, const char* record_file) {
  spdlog::info("the {} in {} has ended; its result is in {}", what, directory, record_file);
  return {ExitCode::success, record({{"directory", directory}, {"finished", true}})};
}

// The kept one, but for where its folder is now.
Configuration kept_configuration(const std::string& file, const Invocation& call) {
  std::vector<Override> overrides = call.overrides;
  overrides.push_back({"resume", "output.directory", call.input});
  return load_configuration(file, overrides);
}

}  // namespace

Outcome resume(const Invocation& call, std::ostream& out) {
  const std::string& directory = call.input;
  const bool job = JobFolder::is_unfinished(directory);
  if (!job && SweepFolder::is_unfinished(directory))
    return run_sweep(kept_configuration(SweepFolder::kept_configuration(directory), call), call,
                     out);
  if (!job && JobFolder::is_finished(directory)) return ended(directory, "job", "run.json");
  if (!job && SweepFolder::is_finished(directory)) return ended(directory, "sweep", "sweep.json");
  return run_job(kept_configuration(JobFolder::kept_configuration(directory), call), call, out,
                 true);
}

}  // namespace cisolve::app
