#pragma once

#include <nccl.h>

#include <source_location>
#include <string>

namespace cisolve::dist {

/// The functions of NCCL in use, as nccl.h declares them. The library is loaded when it is first
/// asked for, not with the program, so that nobody needs it who has one device.
struct NcclLibrary {
  /// Null where this machine has none, or one that lacks any of them but `split`.
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

  /// Throws Fault::resources with the call and its place unless it succeeded or goes on.
  void check(ncclResult_t result, const char* call,
             const std::source_location& place = std::source_location::current()) const;
  /// "NCCL 2.28.9".
  std::string name() const;
};

}  // namespace cisolve::dist
