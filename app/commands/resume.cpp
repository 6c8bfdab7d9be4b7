#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/shared_job.hpp"
#include "app/config/load.hpp"
#include "app/runs/folder.hpp"

namespace cisolve::app {
namespace {

Outcome ended(const std::string& directory, const RunFiles& files) {
  spdlog::info("the {} in {} has ended; its result is in {}", files.run, directory, files.record);
  return {ExitCode::success, record({{"directory", directory}, {"finished", true}})};
}

// The kept one, but for where its folder is now.
Configuration kept_configuration(const RunFiles& files, const Invocation& call) {
  std::vector<Override> overrides = call.overrides;
  overrides.push_back({"resume", "output.directory", call.input});
  return with_kept_rates(load_configuration(files.kept_configuration(call.input), overrides));
}

}  // namespace

Outcome resume(const Invocation& call, std::ostream& out) {
  const std::string& directory = call.input;
  if (call.ranks->size() > 1 && !kJobFiles.is_unfinished(directory))
    base::fail(base::Fault::usage, directory, " holds no unfinished job, which alone many ranks ",
               "can go on with; run this without mpirun");
  if (!kJobFiles.is_unfinished(directory)) {
    if (kSweepFiles.is_unfinished(directory))
      return run_sweep(kept_configuration(kSweepFiles, call), call, out);
    for (const RunFiles& files : {kJobFiles, kSweepFiles})
      if (files.has_record(directory)) return ended(directory, files);
  }
  const Configuration configuration =
      configuration_for_ranks(call, [&] { return kept_configuration(kJobFiles, call); });
  return run_job(configuration, call, out, true);
}

}  // namespace cisolve::app
