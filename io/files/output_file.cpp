#include "io/files/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "base/error.hpp"

namespace cisolve::io {
namespace {

using base::fail;
using base::Fault;

constexpr std::string_view kTemporaryEnd = ".partial";

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<int> counter{0};
  std::filesystem::path name = path;
  name.replace_filename(base::concat(".", path.filename().native(), ".", ::getpid(), "-",
                                     counter.fetch_add(1), kTemporaryEnd));
  return name;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

std::optional<Index> free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(folder, error);
  while (!error && !std::filesystem::exists(there, error) && there.has_relative_path())
    there = there.parent_path();  // what is yet to be made
  const auto room = std::filesystem::space(there, error);
  if (error) return std::nullopt;
  return static_cast<Index>(std::min<std::uintmax_t>(room.available, INT64_MAX));
}

int writer_of(std::string_view name) {
  if (!name.ends_with(kTemporaryEnd)) return 0;
  name.remove_suffix(kTemporaryEnd.size());
  const std::string_view own = name.substr(name.rfind('.') + 1);  // PID-NUMBER
  int writer = 0;
  const auto [after, error] = std::from_chars(own.data(), own.data() + own.size(), writer);
  return error == std::errc() && *after == '-' ? writer : 0;
}

OutputFile::OutputFile(std::filesystem::path path, bool overwrite)
    : path_(std::move(path)),
      temporary_(temporary_name(path_)),
      unfinished_(temporary_),
      overwrite_(overwrite) {
  std::error_code ignored;
  if (!overwrite_ && std::filesystem::exists(path_, ignored)) refuse_taken();
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse(errno);
}

OutputFile::~OutputFile() {
  ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void OutputFile::append(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(written);
    else if (errno != EINTR)
      refuse(errno);
  }
}

void OutputFile::rewrite(Index offset, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::pwrite(descriptor_, text.data(), text.size(), offset);
    if (written < 0 && errno != EINTR) refuse(errno);
    if (written < 0) continue;
    offset += written;
    text.remove_prefix(written);
  }
}

void OutputFile::sync() const {
  if (::fsync(descriptor_) != 0) refuse(errno);
}

void OutputFile::commit() {
  sync();
  rename();
  committed_ = true;
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // the name is there; only its survival of a power cut is left to chance
  ::fsync(folder);
  ::close(folder);
}

void OutputFile::rename() const {
  if (!overwrite_) {
    constexpr unsigned no_replace = RENAME_NOREPLACE;
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), no_replace) == 0) return;
    if (errno == EEXIST) refuse_taken();
    if (errno != EINVAL && errno != ENOSYS) refuse(errno);
    std::error_code ignored;  // a file system without that call
    if (std::filesystem::exists(path_, ignored)) refuse_taken();
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(errno);
}

void OutputFile::refuse(int error) const {
  fail(Fault::cannot_write, path_.native(), ": cannot be written: ", explained(error));
}

std::string explained(int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return base::system_reason(error) + (full ? "; make room there, or write to another folder" : "");
}

void OutputFile::refuse_taken() const {
  fail(Fault::cannot_write, path_.native(),
       ": exists already; choose another name or allow it to be overwritten (--force)");
}

}  // namespace cisolve::io
