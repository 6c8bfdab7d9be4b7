#include "app/runs/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "io/files/output_file.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::app {

bool RunFiles::is_unfinished(const std::filesystem::path& directory) const {
  std::error_code missing;
  return std::filesystem::exists(directory / mark, missing);
}

bool RunFiles::has_record(const std::filesystem::path& directory) const {
  std::error_code missing;
  return std::filesystem::exists(directory / record, missing);
}

std::string RunFiles::kept_configuration(const std::filesystem::path& directory) const {
  if (!is_unfinished(directory))
    base::fail(base::Fault::no_input, directory.native(), ": no unfinished ", run, " is here (no ",
               mark, "); expected the output.directory of a ", run, " that was interrupted");
  return (directory / configuration).string();
}

void make_folder(const std::filesystem::path& path, std::string_view remedy) {
  io::require_plain_path(path, "the folder");
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    base::fail(base::Fault::cannot_write, "cannot make the folder ", path.native(), ": ",
               error.message(), "; ", remedy);
}

std::filesystem::path made_folder(const std::filesystem::path& path) {
  make_folder(path);
  return path;
}

namespace {

/// What read files for a job that was killed ends a moment after it.
bool is_locked_by_another(int folder) {
  constexpr std::chrono::milliseconds kMoment(20);
  for (int tries = 50; ::flock(folder, LOCK_EX | LOCK_NB) != 0; --tries) {
    if (errno != EWOULDBLOCK) return false;  // a file system without locks
    if (tries == 0) return true;
    std::this_thread::sleep_for(kMoment);
  }
  return false;
}

}  // namespace

FolderClaim::FolderClaim(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0 || !is_locked_by_another(folder_)) return;
  ::close(folder_);
  base::fail(base::Fault::cannot_write, folder.native(),
             ": another job is at work in this folder; ",
             "wait for its end, or choose another output.directory");
}

FolderClaim::~FolderClaim() {
  if (folder_ >= 0) ::close(folder_);
}

void require_writable(const std::filesystem::path& file, bool force) {
  const io::OutputFile proof(file, force);
}

void write_text_file(const std::filesystem::path& path, std::string_view text, bool force) {
  io::OutputFile file(path, force);
  file.append(text);
  file.commit();
}

namespace {

/// A program that runs may be one that is about to finish its results in the same folder.
bool has_ended(int program) { return ::kill(program, 0) != 0 && errno == ESRCH; }

}  // namespace

void remove_partial_files(const std::filesystem::path& folder, std::string_view prefix) {
  std::error_code ignored;
  std::vector<std::filesystem::path> partial;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !std::filesystem::is_regular_file(entry.symlink_status()))
      continue;
    const int writer = io::writer_of(name);
    if (writer > 0 && has_ended(writer)) partial.push_back(entry.path());
  }
  for (const std::filesystem::path& path : partial) std::filesystem::remove(path, ignored);
}

}  // namespace cisolve::app
