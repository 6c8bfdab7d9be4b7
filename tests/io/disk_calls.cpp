#include "tests/io/disk_calls.hpp"

#include <dlfcn.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "tests/io/support.hpp"

namespace cisolve::test {

DiskCalls disk_calls;

namespace {

/// The library function that this program intercepts.
template <class Call>
Call* next(const char* name, Call* /*itself*/) {
  return reinterpret_cast<Call*>(::dlsym(RTLD_NEXT, name));
}

std::filesystem::path path_of(int descriptor) {
  return std::filesystem::read_symlink(base::concat("/proc/self/fd/", descriptor));
}

std::string name_of(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return "folder";
  return path.extension() == ".partial" ? "partial" : path.filename().string();
}

int noted_rename(const char* from, const char* to) {
  if (disk_calls.notes)
    disk_calls.calls.push_back(base::concat("rename ", name_of(from), " to ", name_of(to)));
  errno = disk_calls.rename_error;
  return disk_calls.rename_error == 0 ? 0 : -1;
}

/// Number of bytes that this call writes; none if it simulates an interrupting signal.
std::size_t allowed(std::size_t bytes) {
  static bool interrupted = false;
  interrupted = disk_calls.interrupts && !interrupted;
  if (interrupted) errno = EINTR;
  return interrupted ? 0 : std::min(bytes, disk_calls.most_written);
}

}  // namespace
}  // namespace cisolve::test

using cisolve::test::allowed;
using cisolve::test::disk_calls;
using cisolve::test::next;

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the names of glibc are reserved
extern "C" {

int fsync(int descriptor) {
  if (disk_calls.notes) {
    const std::filesystem::path path = cisolve::test::path_of(descriptor);
    disk_calls.calls.push_back("fsync " + cisolve::test::name_of(path));
    if (!is_directory(path)) disk_calls.synced = cisolve::test::bytes_of(path);
  }
  errno = disk_calls.fsync_error;
  return disk_calls.fsync_error == 0 ? next("fsync", fsync)(descriptor) : -1;
}

int rename(const char* from, const char* to) noexcept {
  return cisolve::test::noted_rename(from, to) == 0 ? next("rename", rename)(from, to) : -1;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (cisolve::test::noted_rename(from, to) != 0) return -1;
  return next("renameat2", renameat2)(from_folder, from, to_folder, to, flags);
}

ssize_t write(int descriptor, const void* data, std::size_t bytes) {
  const std::size_t now = allowed(bytes);
  return now == 0 && bytes > 0 ? -1 : next("write", write)(descriptor, data, now);
}

ssize_t pwrite(int descriptor, const void* data, std::size_t bytes, off_t offset) {
  const std::size_t now = allowed(bytes);
  return now == 0 && bytes > 0 ? -1 : next("pwrite", pwrite)(descriptor, data, now, offset);
}

/// Passes changed data to HDF5: its checksums are then those of the false numbers.
herr_t H5Dwrite(hid_t set, hid_t type, hid_t held, hid_t stored, hid_t transfer, const void* data) {
  const auto pass = [&](const void* given) {
    return next("H5Dwrite", H5Dwrite)(set, type, held, stored, transfer, given);
  };
  if (disk_calls.falsified == 0) return pass(data);
  --disk_calls.falsified;
  if (disk_calls.falsified > 0) return pass(data);
  const auto* bytes = static_cast<const char*>(data);
  const auto size = static_cast<std::size_t>(H5Sget_select_npoints(held)) * H5Tget_size(type);
  std::string copy(bytes, size);
  copy[size - H5Tget_size(type)] ^= 1;  // the least bit of the last number
  return pass(copy.data());
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
