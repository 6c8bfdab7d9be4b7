#include "io/files/destination.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::io {
namespace {

constexpr int kMostLinks = 40;  // limit of Linux

// The standard stream of this process that goes there, or -1. Opening such a file once more by its
// name would overwrite what the stream has written.
int stream_to(const struct stat& status) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat its {};
    if (::fstat(stream, &its) == 0 && its.st_dev == status.st_dev && its.st_ino == status.st_ino)
      return stream;
  }
  return -1;
}

std::filesystem::path behind_links(const std::filesystem::path& name) {
  std::filesystem::path file = name;
  std::error_code is_no_link;
  for (int links = 0; links <= kMostLinks; ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(file, is_no_link);
    if (is_no_link) return file;
    file = file.parent_path() / next;
    require_plain_path(file, name.native());
  }
  base::fail(base::ErrorKind::cannot_write, name.native(),
             ": cannot be written: ", base::system_reason(ELOOP));
}

}  // namespace

Destination destination_of(const std::filesystem::path& name) {
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return {behind_links(name)};
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || stream_to(status) >= 0)
    return {name, true};
  if (S_ISREG(status.st_mode)) return {behind_links(name)};
  base::fail(base::ErrorKind::cannot_write, name.native(),
             ": the output is neither a file nor a pipe or terminal; choose another name");
}

std::optional<std::string> foreign_kind(const std::filesystem::path& name) {
  using std::filesystem::file_type;
  std::error_code unknown;
  switch (std::filesystem::symlink_status(name, unknown).type()) {
    case file_type::none:
    case file_type::not_found:
    case file_type::regular: return std::nullopt;
    case file_type::symlink: return "a link";
    case file_type::directory: return "a folder";
    case file_type::fifo: return "a pipe";
    case file_type::socket: return "a socket";
    default: return "a device";
  }
}

Destination plain_destination(const std::filesystem::path& name) {
  if (const auto kind = foreign_kind(name))
    base::fail(base::ErrorKind::cannot_write, name.native(), ": cannot be written: it is ", *kind,
               ", but the program needs a regular file of this name; remove it, or choose another ",
               "folder");
  return {name};
}

int open_stream(const std::filesystem::path& name) {
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0) return -1;
  const int stream = stream_to(status);
  if (stream >= 0) return ::fcntl(stream, F_DUPFD_CLOEXEC, 0);
  int descriptor = -1;
  do descriptor = ::open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace cisolve::io
