#include <filesystem>
#include <optional>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/job.hpp"
#include "app/config/load.hpp"
#include "app/job/folder.hpp"
#include "app/job/interruption.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

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
  StartingBackend backend(configuration, resumed);
  JobFolder folder(configuration, resumed, call.force, backend.host());
  if (!resumed && folder.keeps_state()) interruption.emplace();
  Outcome outcome;
  try {
    outcome = Job(configuration, call, folder, backend, out).run();
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
