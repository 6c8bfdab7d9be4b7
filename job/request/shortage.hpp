#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace cisolve::job {

/// Memory whose exhaustion is caught: that of the host (device shortages propagate to the caller,
/// which can continue on the host), of the device, or of either.
enum class MemoryOf { host, device, any };

/// Runs work(). Returns the message of an out-of-memory error, or an empty string. Throws any other
/// error.
template <class Work>
std::string run_catching_shortage(MemoryOf of, Work work) {
  try {
    work();
    return {};
  } catch (const base::DeviceMemoryError& error) {
    if (of == MemoryOf::host) throw;
    return error.what();
  } catch (const base::Error& error) {
    if (of == MemoryOf::device || error.kind() != base::ErrorKind::resources) throw;
    return error.what();
  }
}

/// Returns make(), or none if it runs out of memory.
template <class Make>
auto if_memory_allows(MemoryOf of, Make make) {
  std::optional<decltype(make())> made;
  run_catching_shortage(of, [&] { made.emplace(make()); });
  return made;
}

}  // namespace cisolve::job
