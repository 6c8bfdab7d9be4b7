#include "app/runs/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/number.hpp"
#include "io/files/destination.hpp"
#include "io/files/output_file.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::app {

namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using base::fail;

/// Whether there is a configuration of an earlier version; without a checkpoint beside it the file
/// may be foreign.
bool has_earlier(const RunFiles& files, const fs::path& directory) {
  const auto is_in_folder = [&](const char* name) { return is_taken(directory / name); };
  return files.earlier != nullptr && is_in_folder(files.earlier) &&
         std::ranges::any_of(kCheckpoints, is_in_folder);
}

}  // namespace

bool is_taken(const fs::path& name) {
  std::error_code missing;
  return fs::exists(fs::symlink_status(name, missing));
}

bool begins_with(const fs::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat status {};
  std::string begin(text.size(), '\0');
  const bool is_plain = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const auto read = is_plain ? ::read(descriptor, begin.data(), begin.size()) : -1;
  ::close(descriptor);
  return read == std::ssize(text) && begin == text;
}

bool RunFiles::is_unfinished(const fs::path& directory) const {
  return is_taken(directory / mark) || has_earlier(*this, directory);
}

bool RunFiles::has_record(const fs::path& directory) const {
  std::error_code missing;
  return fs::exists(directory / record, missing);
}

std::string RunFiles::stored_configuration(const fs::path& directory) const {
  if (!is_unfinished(directory))
    fail(ErrorKind::no_input, directory.native(), ": the folder holds no unfinished ", run, " (no ",
         mark, "); expected the output.directory of an interrupted ", run);
  const fs::path file = directory / (is_taken(directory / mark) ? configuration : earlier);
  if (const auto kind = io::foreign_kind(file))
    fail(ErrorKind::bad_input, file.native(), ": is ", *kind,
         "; expected the regular file that the unfinished ", run, " has left");
  return file.string();
}

void make_folder(const std::filesystem::path& path, std::string_view remedy) {
  io::require_plain_path(path, "the folder");
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    base::fail(base::ErrorKind::cannot_write, "cannot make the folder ", path.native(), ": ",
               error.message(), "; ", remedy);
}

std::filesystem::path created_folder(const std::filesystem::path& path) {
  make_folder(path);
  return path;
}

namespace {

/// Retries for a second: helper processes of a killed job end a moment after it.
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

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0 || !is_locked_by_another(folder_)) return;
  ::close(folder_);
  base::fail(base::ErrorKind::cannot_write, folder.native(),
             ": another job is running in this folder; ",
             "wait until it ends, or set another output.directory");
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) ::close(folder_);
}

void require_writable(const std::filesystem::path& file, bool force, io::FileOwner owner) {
  const io::OutputFile proof(file, force, owner);
}

void require_disk_space(const std::filesystem::path& file, double least_bytes) {
  constexpr double kMost = 0x1p62;
  std::error_code error;
  const auto there = std::filesystem::status(file, error);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) return;
  const auto folder = std::filesystem::absolute(file, error).parent_path();
  const auto free = io::free_bytes(folder);
  if (!free || least_bytes <= static_cast<double>(*free)) return;
  base::fail(base::ErrorKind::cannot_write, file.native(), ": the file would take at least ",
             base::human_bytes(static_cast<base::Index>(std::min(least_bytes, kMost))), ", but ",
             base::human_bytes(*free), " are free in ", folder.native(),
             "; choose fewer rows, or a folder on a larger disk");
}

void write_text_file(const std::filesystem::path& path, std::string_view text, bool force,
                     io::FileOwner owner) {
  io::OutputFile file(path, force, owner);
  file.append(text);
  file.commit();
}

void keep_configuration(const std::filesystem::path& path, std::string_view text, bool force) {
  write_text_file(path, std::string(kKept).append(text), force || begins_with(path, kKept),
                  io::FileOwner::program);
}

namespace {

/// Whether a process has ended; a running one may be about to finish its results in this folder.
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
