#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <utility>

#include "base/backend.hpp"
#include "base/openmp/threads.hpp"

namespace cisolve::base {

/// Runs work on a thread of its own, with as many OpenMP threads as the host backend; deferred
/// until get() if these cannot be started. References in `work` must outlive the future.
template <class Work>
auto run_in_background(const Backend& host, const Work& work) -> std::future<decltype(work())> {
  const auto later = [&] { return std::async(std::launch::deferred, work); };
  auto threads = std::make_shared<const BackgroundThreads>(host.threads());
  if (!threads->can_start()) return later();
  try {
    return std::async(std::launch::async, [work, threads = std::move(threads)] { return work(); });
  } catch (const std::system_error&) {
    return later();
  }
}

/// Runs work in the background if `pays`; deferred otherwise.
template <class Work>
auto run_in_background_if(bool pays, const Backend& host, const Work& work)
    -> std::future<decltype(work())> {
  if (!pays) return std::async(std::launch::deferred, work);
  return run_in_background(host, work);
}

/// Runs work in the background if the backend is a device; deferred on a host, where it would
/// compete with the main work.
template <class Work>
auto run_while_device_works(const Backend& backend, const Work& work)
    -> std::future<decltype(work())> {
  return run_in_background_if(!backend.is_host(), backend.host(), work);
}

}  // namespace cisolve::base
