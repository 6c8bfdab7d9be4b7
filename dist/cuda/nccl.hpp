#pragma once

#include <nccl.h>

#include <source_location>
#include <string>

namespace cisolve::dist {

/// NCCL functions in use, as declared in nccl.h. The library is loaded on first use, so that a
/// single device does not need it.
struct NcclLibrary {
  /// Null if the library is missing, or lacks any function other than `split`.
  static const NcclLibrary* get();

  decltype(&ncclGetVersion) version;
  decltype(&ncclGetUniqueId) unique_id;
  decltype(&ncclCommInitRankConfig) begin;
  decltype(&ncclCommGetAsyncError) state;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
  decltype(&ncclGetErrorString) error_string;
  decltype(&ncclCommSplit) split;  // null in a library before NCCL 2.18

  /// Throws ErrorKind::resources with the call and its location unless it succeeded or is in
  /// progress.
  void check(ncclResult_t result, const char* call,
             const std::source_location& place = std::source_location::current()) const;
  /// "NCCL 2.28.9".
  std::string name() const;
};

}  // namespace cisolve::dist
