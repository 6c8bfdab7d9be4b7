#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <utility>

#include "base/backend.hpp"
#include "base/openmp/threads.hpp"

namespace cisolve::base {

/// Work on a thread of its own, which may use as many as the host has; where these cannot be
/// started it is done when it is asked for. What it refers to must outlive the future.
template <class Work>
auto begin_beside(const Backend& host, const Work& work) -> std::future<decltype(work())> {
  const auto later = [&] { return std::async(std::launch::deferred, work); };
  auto threads = std::make_shared<const ThreadsBeside>(host.threads());
  if (!threads->can_start()) return later();
  try {
    return std::async(std::launch::async, [work, threads = std::move(threads)] { return work(); });
  } catch (const std::system_error&) {
    return later();
  }
}

/// The same where it pays; else it waits until it is asked for.
template <class Work>
auto begin_beside_if(bool pays, const Backend& host, const Work& work)
    -> std::future<decltype(work())> {
  if (!pays) return std::async(std::launch::deferred, work);
  return begin_beside(host, work);
}

/// The same where a device works meanwhile; without one it would be in the way of what the host
/// does.
template <class Work>
auto begin_beside_device(const Backend& backend, const Work& work)
    -> std::future<decltype(work())> {
  return begin_beside_if(!backend.is_host(), backend.host(), work);
}

}  // namespace cisolve::base
