#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace cisolve::job {

/// Whose memory may be short: the host's alone, where a shortage of the device is for the caller,
/// who can go on on the host; the device's alone; or either.
enum class MemoryOf { host, device, any };

/// Runs work(). Returns what was short of memory; empty where nothing was. Any other error is
/// thrown.
template <class Work>
std::string shortage(MemoryOf of, Work work) {
  try {
    work();
    return {};
  } catch (const base::DeviceMemoryError& error) {
    if (of == MemoryOf::host) throw;
    return error.what();
  } catch (const base::Error& error) {
    if (of == MemoryOf::device || error.fault() != base::Fault::resources) throw;
    return error.what();
  }
}

/// Returns what make() does, or nothing where memory is short for it.
template <class Make>
auto if_there_is_room(MemoryOf of, Make make) {
  std::optional<decltype(make())> made;
  shortage(of, [&] { made.emplace(make()); });
  return made;
}

}  // namespace cisolve::job
