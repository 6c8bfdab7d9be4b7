#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"

namespace cisolve::bench {

using base::Index;

/// A backend on which products run and are timed: one for the host, one for the device.
class TimedBackend {
 public:
  TimedBackend() = default;
  TimedBackend(const TimedBackend&) = delete;
  TimedBackend& operator=(const TimedBackend&) = delete;
  virtual ~TimedBackend() = default;

  virtual const base::Backend& backend() const = 0;

  /// Seconds of queued work, without waiting and launches if the clock allows.
  virtual double seconds(const std::function<void()>& work) const = 0;

  /// Called before a timed run of `product`. A device's caches are cleared of the last product if
  /// they could hold much of it; a host runs the product once, which wakes the threads and leaves
  /// the caches as a solver would find them.
  virtual void settle(Index matrix_bytes, const std::function<void()>& product) const = 0;

  /// The shortest run that the clock measures well: shorter products are repeated within a run.
  virtual double shortest_run() const = 0;

  /// Bytes per second of a large copy (read and written) and of reading alone, measured once.
  struct Rates {
    double copy = 0;
    double read = 0;
  };
  virtual Rates rates() const = 0;
};

/// `rate_bytes`: of each array in a measured copy; less if memory is short.
std::unique_ptr<TimedBackend> timed_host(const base::Backend& backend, Index rate_bytes);

/// Throws ErrorKind::backend in a build without the cuda backend.
std::unique_ptr<TimedBackend> timed_device(const base::Backend& backend, Index rate_bytes);

}  // namespace cisolve::bench
