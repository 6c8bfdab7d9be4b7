#include "io/files/output_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "base/error.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::io {
namespace {

using base::ErrorKind;
using base::fail;

constexpr std::string_view kTemporaryEnd = ".partial";

// A file in the folder for temporary files (TMPDIR), which is writable by everybody: the name is
// random, since a predictable one could be taken in advance.
std::filesystem::path temporary_for_stream() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error)
    fail(ErrorKind::cannot_write, "no folder for temporary files is available: ", error.message(),
         "; set TMPDIR to one");
  require_plain_path(folder, "TMPDIR");
  std::uint64_t number = 0;
  while (::getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR)
      fail(ErrorKind::cannot_write,
           "cannot create a random file name: ", base::system_reason(errno));
  return folder / base::concat(".ci-solve-", number, kTemporaryEnd);
}

// A name in the destination's folder, so that it can be renamed.
std::filesystem::path temporary_name(const Destination& destination) {
  if (destination.is_stream) return temporary_for_stream();
  static std::atomic<int> counter{0};
  std::filesystem::path name = destination.file;
  name.replace_filename(base::concat(".", name.filename().native(), ".", ::getpid(), "-",
                                     counter.fetch_add(1), kTemporaryEnd));
  return name;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// Returns false and sets errno if not everything could be written.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(written);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

// Returns false and sets errno if reading or writing fails.
bool copy_all(int from, int to) {
  std::array<char, 1 << 16> piece;
  off_t at = 0;
  for (;;) {
    const auto read = ::pread(from, piece.data(), piece.size(), at);
    if (read == 0) return true;
    if (read < 0 && errno == EINTR) continue;
    if (read < 0 || !write_all(to, {piece.data(), static_cast<std::size_t>(read)})) return false;
    at += read;
  }
}

}  // namespace

std::optional<Index> free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(folder, error);
  while (!error && !std::filesystem::exists(there, error) && there.has_relative_path())
    there = there.parent_path();  // skips folders that do not exist yet
  const auto disk = std::filesystem::space(there, error);
  if (error) return std::nullopt;
  return static_cast<Index>(std::min<std::uintmax_t>(disk.available, INT64_MAX));
}

int writer_of(std::string_view name) {
  if (!name.ends_with(kTemporaryEnd)) return 0;
  name.remove_suffix(kTemporaryEnd.size());
  const std::string_view own = name.substr(name.rfind('.') + 1);  // PID-NUMBER
  int writer = 0;
  const auto [after, error] = std::from_chars(own.data(), own.data() + own.size(), writer);
  return error == std::errc() && *after == '-' ? writer : 0;
}

OutputFile::OutputFile(std::filesystem::path path, bool overwrite, FileOwner owner)
    : path_(std::move(path)),
      destination_(owner == FileOwner::program ? plain_destination(path_) : destination_of(path_)),
      temporary_(temporary_name(destination_)),
      unfinished_(temporary_),
      overwrite_(overwrite) {
  std::error_code ignored;
  const bool replaces = !destination_.is_stream;
  if (replaces && !overwrite_ && std::filesystem::exists(path_, ignored)) refuse_taken();
  if (replaces && std::filesystem::is_directory(path_, ignored)) refuse(EISDIR);
  if (!replaces && ::access(path_.c_str(), W_OK) != 0) refuse(errno);
  constexpr int anew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  descriptor_ = ::open(temporary_.c_str(), anew, replaces ? 0666 : 0600);
  if (descriptor_ < 0) refuse(errno);
}

OutputFile::~OutputFile() {
  ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void OutputFile::append(std::string_view text) {
  if (!write_all(descriptor_, text)) refuse(errno);
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
  if (destination_.is_stream) return copy_to_stream();
  sync();
  rename();
  committed_ = true;
  const int folder =
      ::open(folder_of(destination_.file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // the file exists, but may not survive a power failure
  ::fsync(folder);
  ::close(folder);
}

void OutputFile::copy_to_stream() const {
  const int receiver = open_stream(path_);
  const bool passed = receiver >= 0 && copy_all(descriptor_, receiver);
  const int error = errno;
  if (receiver >= 0) ::close(receiver);
  if (!passed) refuse(error);
}

void OutputFile::rename() const {
  const char* place = destination_.file.c_str();
  if (!overwrite_) {
    constexpr unsigned no_replace = RENAME_NOREPLACE;
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, place, no_replace) == 0) return;
    if (errno == EEXIST) refuse_taken();
    if (errno != EINVAL && errno != ENOSYS) refuse(errno);
    std::error_code ignored;  // a file system without renameat2 flags
    if (std::filesystem::exists(path_, ignored)) refuse_taken();
  }
  if (std::rename(temporary_.c_str(), place) != 0) refuse(errno);
}

void OutputFile::refuse(int error) const {
  fail(ErrorKind::cannot_write, path_.native(), ": cannot be written: ", reason_and_remedy(error));
}

std::string reason_and_remedy(int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  const char* const remedy =
      full ? "; free disk space, or write to another folder" : "; write to another folder";
  return base::system_reason(error) + remedy;
}

void OutputFile::refuse_taken() const {
  fail(ErrorKind::cannot_write, path_.native(),
       ": the file exists; choose another name, or allow overwriting (--force; in Python "
       "overwrite=True)");
}

}  // namespace cisolve::io
