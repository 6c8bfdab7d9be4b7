#include "io/files/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

namespace cisolve::io {
namespace {

using base::ErrorKind;
using base::fail;
using base::system_reason;

}  // namespace

void require_regular_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    fail(ErrorKind::no_input, path.native(), ": ", system_reason(errno),
         "; expected a readable file");
  if (!S_ISREG(status.st_mode))
    fail(ErrorKind::bad_input, path.native(),
         ": not a regular file; expected a file, not a directory, ", "pipe or device");
  if (::access(path.c_str(), R_OK) != 0)
    fail(ErrorKind::no_input, path.native(), ": ", system_reason(errno),
         "; expected a readable file");
}

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
  require_regular_file(path_);
  written_ = std::filesystem::last_write_time(path_);
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    fail(ErrorKind::no_input, path_.native(), ": ", system_reason(errno),
         "; expected a readable file");
  struct stat status {};
  int error = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  bytes_ = status.st_size;
  if (error == 0 && bytes_ > 0) {
    mapping_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping_ == MAP_FAILED) error = errno;
  }
  ::close(descriptor);
  if (error == ENODEV)
    fail(ErrorKind::bad_input, path_.native(),
         ": the file cannot be mapped into memory, like the virtual files ",
         "of /sys and /proc; copy it to a disk");
  if (error != 0)
    fail(ErrorKind::resources, path_.native(),
         ": the file cannot be mapped into memory: ", system_reason(error));
  if (mapping_ != nullptr) guard_.watch(mapping_, bytes_);
  text_ = {static_cast<const char*>(mapping_), static_cast<std::size_t>(bytes_)};
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

MappedFile::~MappedFile() {
  guard_.release();
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_);
}

Index MappedFile::line_of(const char* where) const {
  const char* begin = text_.data();
  if (where == begin + text_.size())
    while (where > begin && (where[-1] == '\n' || where[-1] == '\r')) --where;
  return 1 + std::count(begin, where, '\n');
}

void MappedFile::require_unchanged() const {
  std::error_code gone;
  const bool written = std::filesystem::last_write_time(path_, gone) != written_ || gone;
  const bool cut = guard_.was_cut();
  if (written || cut || static_cast<Index>(std::filesystem::file_size(path_, gone)) != bytes_)
    fail(ErrorKind::bad_input, path_.native(),
         ": the file changed while it was read; expected a finished file");
}

void MappedFile::refuse(const TextProblem& problem) const {
  require_unchanged();
  fail(ErrorKind::bad_input, path_.native(), ":", line_of(problem.where), ": ", problem.message);
}

bool is_hdf5(const std::filesystem::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) return false;  // reading a pipe would block
  std::array<char, signature.size()> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == signature;
}

}  // namespace cisolve::io
