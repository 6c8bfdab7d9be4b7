#include "app/runs/job_folder.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>

#include "app/config/save.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/input_identity.hpp"
#include "app/runs/result_files.hpp"
#include "base/error.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::Fault;

constexpr const char* kRecord = "run.json";
constexpr const char* kJobFile = "job.yaml";

}  // namespace

JobFolder::JobFolder(const Configuration& configuration, bool resumed, bool force,
                     const base::Backend& host)
    : configuration_(configuration),
      overwrites_(force || resumed),
      checkpoints_(configuration.output.directory) {
  const std::string& directory = configuration.output.directory;
  make_folder(directory);
  if (!resumed && !force && checkpoints_.holds_any())
    fail(Fault::cannot_write, directory, ": holds the checkpoint of an unfinished job; ",
         "'ci-solve resume ", directory, "' goes on with it, --force begins anew");
  { const io::OutputFile proof(record_path(), overwrites_); }  // it can be written
  for (const std::string& name : result_file_names(configuration))
    const io::OutputFile proof(fs::path(directory) / name, overwrites_);
  checkpoints_.remove_partial_files();
  if (keeps_state() || resumed) input_ = input_identity(configuration);
  if (resumed)
    read_start(host);
  else
    checkpoints_.clear();
  if (!keeps_state()) return;
  write_text_file(fs::path(directory) / kJobFile, configuration_text(configuration), true);
}

bool JobFolder::keeps_state() const {
  return configuration_.solver.states > 0 && configuration_.output.checkpoint >= 0;
}

std::string JobFolder::record_path() const {
  return (fs::path(configuration_.output.directory) / kRecord).string();
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
  fs::remove(fs::path(configuration_.output.directory) / kJobFile, ignored);
}

bool JobFolder::is_unfinished(const std::string& directory) {
  std::error_code ignored;
  return fs::exists(fs::path(directory) / kJobFile, ignored);
}

bool JobFolder::is_finished(const std::string& directory) {
  std::error_code ignored;
  return fs::exists(fs::path(directory) / kRecord, ignored) && !is_unfinished(directory);
}

std::string JobFolder::kept_configuration(const std::string& directory) {
  std::string path = (fs::path(directory) / kJobFile).string();
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    fail(Fault::no_input, directory, ": no unfinished job is here (no ", kJobFile,
         "); expected the output.directory of a job that was interrupted");
  return path;
}

}  // namespace cisolve::app
