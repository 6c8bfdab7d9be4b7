#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace cisolve::test {

/// The program intercepts the system calls by which a file reaches the disk: it records them and
/// can make them fail.
struct DiskCalls {
  bool notes = false;
  std::vector<std::string> calls;  // texts such as "rename partial to a.txt"
  std::string synced;              // content of the last file that was synced

  int fsync_error = 0;
  int rename_error = 0;
  std::size_t most_written = std::numeric_limits<std::size_t>::max();  // bytes written in one call
  bool interrupts = false;                                             // every second write
  int falsified = 0;  // number of the next HDF5 array in which a bit is flipped
};

extern DiskCalls disk_calls;

}  // namespace cisolve::test
