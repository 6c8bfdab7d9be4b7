#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"

namespace cisolve::bench {

using base::Index;

/// Where products run and are timed. One of them serves the host, one the device.
class Place {
 public:
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  virtual const base::Backend& backend() const = 0;

  /// Seconds that queued work takes, waiting and launching left out where the clock can tell.
  virtual double seconds(const std::function<void()>& work) const = 0;

  /// Before a timed run of `product` over a matrix of so many bytes. A device's caches are cleared
  /// of the last product where they could hold much of it; a host runs the product once, which
  /// wakes the threads and leaves in the caches what a solver would find there.
  virtual void settle(Index matrix_bytes, const std::function<void()>& product) const = 0;

  /// The shortest run that the clock measures well: shorter products are repeated within a run.
  virtual double shortest_run() const = 0;

  /// Bytes moved a second by a large copy (read and written) and by reading alone, once.
  struct Rates {
    double copy = 0;
    double read = 0;
  };
  virtual Rates rates() const = 0;
};

/// `rate_bytes` are those of each array in a measured copy, or less where memory is short.
std::unique_ptr<Place> host_place(const base::Backend& backend, Index rate_bytes);

/// Throws ErrorKind::backend in a build without the cuda backend.
std::unique_ptr<Place> device_place(const base::Backend& backend, Index rate_bytes);

}  // namespace cisolve::bench
