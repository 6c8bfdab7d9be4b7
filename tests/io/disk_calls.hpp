#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace cisolve::test {

/// This program stands between the library and the system: the calls by which a file reaches the
/// disk pass through it. It notes them, and can hinder them.
struct DiskCalls {
  bool notes = false;
  std::vector<std::string> calls;  // such as "rename partial to a.txt"
  std::string synced;              // what the last file held that was brought to the disk

  int fsync_error = 0;
  int rename_error = 0;
  std::size_t most_written = std::numeric_limits<std::size_t>::max();  // in one call
  bool interrupts = false;                                             // every second write
  int falsified = 0;  // of which of the next arrays that HDF5 writes a bit is flipped on the way
};

extern DiskCalls disk_calls;

}  // namespace cisolve::test
