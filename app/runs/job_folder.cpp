#include "app/runs/job_folder.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <vector>

#include "app/config/save.hpp"
#include "app/runs/input_identity.hpp"
#include "app/runs/result_files.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::Fault;

}  // namespace

JobFolder::JobFolder(const Configuration& configuration, bool resumed, bool force,
                     const base::Backend& host)
    : configuration_(configuration),
      overwrites_(force || resumed),
      claim_(made_folder(configuration.output.directory)),
      checkpoints_(configuration.output.directory) {
  const std::string& directory = configuration.output.directory;
  if (!resumed && !force && checkpoints_.holds_any())
    fail(Fault::cannot_write, directory, ": holds the checkpoint of an unfinished job; ",
         "'ci-solve resume ", directory, "' goes on with it, --force begins anew");
  std::vector<std::string> files = result_file_names(configuration);
  files.insert(files.begin(), kJobFiles.record);
  for (const std::string& name : files) require_writable(fs::path(directory) / name, overwrites_);
  files.emplace_back(kJobFiles.configuration);
  for (const std::string& name : files) remove_partial_files(directory, "." + name + ".");
  checkpoints_.remove_partial_files();
  if (keeps_state() || resumed) input_ = input_identity(configuration);
  if (resumed)
    read_start(host);
  else
    checkpoints_.clear();
  if (!keeps_state()) return;
  write_text_file(fs::path(directory) / kJobFiles.configuration, configuration_text(configuration),
                  true);
}

bool keeps_state(const Configuration& configuration) {
  return configuration.solver.states > 0 && configuration.output.checkpoint >= 0;
}

std::string JobFolder::record_path() const {
  return (fs::path(configuration_.output.directory) / kJobFiles.record).string();
}

void JobFolder::read_start(const base::Backend& host) {
  auto stored = checkpoints_.newest(host);
  if (!stored) {
    spdlog::info("{} holds no checkpoint; the job begins anew", configuration_.output.directory);
    return;
  }
  if (stored->input != input_)
    fail(Fault::bad_input, configuration_.output.directory,
         ": the checkpoint is of another input: ", differences(stored->input, input_),
         "; solve the input as it was, or begin anew with another output.directory");
  spdlog::info("resumed after iteration {}", stored->iterations);
  start_.emplace(start_from(std::move(*stored)));
}

void JobFolder::start_again(const base::Backend& host) {
  if (!start_ && holds_state()) read_start(host);
}

void JobFolder::clear() {
  checkpoints_.clear();
  std::error_code ignored;
  fs::remove(fs::path(configuration_.output.directory) / kJobFiles.configuration, ignored);
}

}  // namespace cisolve::app
