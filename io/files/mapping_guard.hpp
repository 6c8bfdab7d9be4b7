#pragma once

#include "base/types.hpp"

namespace cisolve::io {

/// Watches a mapped file: memory that the file no longer has, because another program made it
/// shorter, reads as zeros instead of ending the process with SIGBUS. The handler of that signal
/// belongs to the process, so its table of mappings does too; a SIGBUS elsewhere goes to whoever
/// handled it before.
class MappingGuard {
 public:
  MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

  /// `begin` is what mmap() returned.
  void watch(void* begin, base::Index bytes) const;
  /// Before it is unmapped.
  void release() const;
  /// Whether memory that was not there has been read.
  bool was_cut() const;

 private:
  int place_;  // in the table
};

}  // namespace cisolve::io
