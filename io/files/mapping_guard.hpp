#pragma once

#include "base/types.hpp"

namespace cisolve::io {

/// Guards a mapped file: pages that vanish because another program truncates the file read as zeros
/// instead of ending the process with SIGBUS. The signal handler is global to the process, and so
/// is its table of mappings; a SIGBUS elsewhere is passed to the previous handler.
class MappingGuard {
 public:
  MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

  /// `begin` is the result of mmap().
  void watch(void* begin, base::Index bytes) const;
  /// Ends the guard; must be called before munmap().
  void release() const;
  /// True if a missing page has been read.
  bool was_cut() const;

 private:
  int place_;  // index in the table
};

}  // namespace cisolve::io
