#include "dist/cuda/nccl.hpp"

#include <dlfcn.h>

#include <optional>

#include "base/error.hpp"

namespace cisolve::dist {
namespace {

/// The library among the program's own, or at its location at build time.
void* open_library() {
  for (const char* name : {"libnccl.so.2", CISOLVE_NCCL_LIBRARY})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<NcclLibrary> load() {
  void* const library = open_library();
  if (library == nullptr) return {};
  NcclLibrary nccl{};
  const bool is_whole = find(library, "ncclGetVersion", nccl.version) &&
                        find(library, "ncclGetUniqueId", nccl.unique_id) &&
                        find(library, "ncclCommInitRankConfig", nccl.begin) &&
                        find(library, "ncclCommGetAsyncError", nccl.state) &&
                        find(library, "ncclCommAbort", nccl.abort) &&
                        find(library, "ncclGroupStart", nccl.group_start) &&
                        find(library, "ncclGroupEnd", nccl.group_end) &&
                        find(library, "ncclSend", nccl.send) &&
                        find(library, "ncclRecv", nccl.receive) &&
                        find(library, "ncclGetErrorString", nccl.error_string);
  find(library, "ncclCommSplit", nccl.split);
  return is_whole ? std::optional(nccl) : std::nullopt;
}

}  // namespace

const NcclLibrary* NcclLibrary::get() {
  static const std::optional<NcclLibrary> library = load();
  return library ? &*library : nullptr;
}

void NcclLibrary::check(ncclResult_t result, const char* call,
                        const std::source_location& place) const {
  if (result == ncclSuccess || result == ncclInProgress) return;
  base::fail(base::ErrorKind::resources, call, " failed in ", place.file_name(), ":", place.line(),
             ": ", error_string(result), "; set NCCL_DEBUG=WARN for details");
}

std::string NcclLibrary::name() const {
  int code = 0;
  check(version(&code), "ncclGetVersion");
  return base::concat("NCCL ", code / 10000, ".", code / 100 % 100, ".", code % 100);
}

}  // namespace cisolve::dist
