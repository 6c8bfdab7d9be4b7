#include "app/runs/job_folder.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "app/config/load.hpp"
#include "app/config/save.hpp"
#include "app/runs/input_identity.hpp"
#include "app/runs/result_files.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using base::fail;

/// Result files that the configuration of the unfinished job requested, not the present one.
std::vector<std::string> results_of_unfinished(const fs::path& directory) {
  return result_file_names(load_configuration(kJobFiles.stored_configuration(directory), {}));
}

}  // namespace

JobFolder::JobFolder(const Configuration& configuration, bool resumed, bool force,
                     const base::Backend& host)
    : configuration_(configuration),
      overwrites_(force || resumed),
      place_(resumed && !force ? io::FileOwner::program : io::FileOwner::user),
      lock_(created_folder(configuration.output.directory)),
      checkpoints_(configuration.output.directory) {
  const std::string& directory = configuration.output.directory;
  if (!resumed && !force && checkpoints_.has_any())
    fail(ErrorKind::cannot_write, directory,
         ": the folder holds the checkpoint of an unfinished job; ", "'ci-solve resume ", directory,
         "' continues it, --force starts again");
  std::vector<std::string> files = result_file_names(configuration);
  if (force) {
    replaced_ = all_result_file_names();
    replaced_.insert(replaced_.end(), files.begin(), files.end());
  } else if (resumed) {
    replaced_ = results_of_unfinished(directory);
  }
  for (const std::string& name : files)
    require_writable(fs::path(directory) / name, std::ranges::count(replaced_, name) > 0, place_);
  require_writable(record_path(), overwrites_, place_);
  for (const char* name : {kJobFiles.record, kJobFiles.configuration}) files.emplace_back(name);
  for (const std::string& name : files) remove_partial_files(directory, "." + name + ".");
  checkpoints_.remove_partial_files();
  if (keeps_checkpoints() || resumed) input_ = input_identity(configuration);
  if (resumed)
    read_start(host);
  else
    checkpoints_.clear();
  if (!keeps_checkpoints()) return;
  keep_configuration(fs::path(directory) / kJobFiles.configuration,
                     configuration_text(configuration), overwrites_);
}

bool keeps_checkpoints(const Configuration& configuration) {
  return configuration.request.solver.states > 0 && configuration.output.checkpoint >= 0;
}

std::string JobFolder::record_path() const {
  return (fs::path(configuration_.output.directory) / kJobFiles.record).string();
}

void JobFolder::read_start(const base::Backend& host) {
  auto stored = checkpoints_.newest(host);
  if (!stored) {
    spdlog::info("{} holds no checkpoint; the job starts again", configuration_.output.directory);
    return;
  }
  if (stored->input != input_)
    fail(ErrorKind::bad_input, configuration_.output.directory,
         ": the checkpoint belongs to another input: ", differences(stored->input, input_),
         "; restore the input, or start again with another output.directory");
  spdlog::info("resumed after iteration {}", stored->iterations);
  start_.emplace(start_from(std::move(*stored)));
}

void JobFolder::start_again(const base::Backend& host) {
  if (!start_ && has_checkpoint()) read_start(host);
}

void JobFolder::clear() {
  checkpoints_.clear();
  const fs::path kept = fs::path(configuration_.output.directory) / kJobFiles.configuration;
  std::error_code ignored;
  if (begins_with(kept, kKept)) fs::remove(kept, ignored);
}

}  // namespace cisolve::app
