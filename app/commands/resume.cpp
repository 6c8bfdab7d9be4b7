#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/rank_job.hpp"
#include "app/config/load.hpp"
#include "app/config/schema.hpp"
#include "app/runs/folder.hpp"

namespace cisolve::app {
namespace {

/// Whether a key affects only how a run is executed, not its results: the keys outside of sections.
bool affects_execution_alone(const std::string& key) {
  return key.find('.') == std::string::npos && find_key(key) != nullptr;
}

CommandOutcome ended(const Invocation& call, const RunFiles& files) {
  const std::string& directory = call.input;
  for (const Override& asked : call.overrides)
    if (!affects_execution_alone(asked.key))
      spdlog::warn(
          "{} has no effect: the {} has finished; start another one with another output.directory",
          asked.key, files.run);
  spdlog::info("the {} in {} has finished; its result is in {}", files.run, directory,
               files.record);
  return {ExitCode::success, record({{"directory", directory}, {"finished", true}})};
}

/// Refuses another output folder: a resumed run stays in its own.
void require_own_folder(const Configuration& configuration, const Invocation& call) {
  const auto place = [](const std::string& folder) {
    std::error_code unknown;  // a folder that does not exist is another one
    return std::filesystem::weakly_canonical(folder, unknown);
  };
  const std::string& asked = configuration.output.directory;
  if (asked == call.input || place(asked) == place(call.input)) return;
  base::fail(base::ErrorKind::configuration, "output.directory: ", asked,
             " is not the folder to resume; expected ", call.input,
             ", or no output.directory: a copied folder is resumed in its new place");
}

// The stored configuration with the present location of its folder.
Configuration stored_configuration(const RunFiles& files, const Invocation& call) {
  std::vector<Override> overrides{{"resume", "output.directory", call.input}};
  overrides.insert(overrides.end(), call.overrides.begin(), call.overrides.end());
  Configuration configuration =
      load_configuration(files.stored_configuration(call.input), overrides);
  require_own_folder(configuration, call);
  configuration.output.directory = call.input;
  return with_machine_rates(std::move(configuration));
}

/// Refuses states = 0, whose report would replace the saved solution.
Configuration stored_job(const Invocation& call) {
  Configuration configuration = stored_configuration(kJobFiles, call);
  if (configuration.request.solver.states == 0 &&
      load_configuration(kJobFiles.stored_configuration(call.input), {}).request.solver.states > 0)
    base::fail(base::ErrorKind::configuration, "--set solver.states=0 cannot resume the job in ",
               call.input, "; expected at least 1, or a new job in another folder");
  return configuration;
}

}  // namespace

CommandOutcome resume(const Invocation& call, std::ostream& out) {
  const std::string& directory = call.input;
  if (call.ranks->size() > 1 && !kJobFiles.is_unfinished(directory))
    base::fail(base::ErrorKind::usage, directory, " holds no unfinished job; several ranks resume ",
               "only jobs, so run this without mpirun");
  if (!kJobFiles.is_unfinished(directory)) {
    if (kSweepFiles.is_unfinished(directory))
      return run_sweep(stored_configuration(kSweepFiles, call), call, out);
    for (const RunFiles& files : {kJobFiles, kSweepFiles})
      if (files.has_record(directory)) return ended(call, files);
  }
  const Configuration configuration =
      configuration_for_ranks(call, [&] { return stored_job(call); });
  return run_job(configuration, call, out, true);
}

}  // namespace cisolve::app
