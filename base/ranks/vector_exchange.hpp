#pragma once

#include <span>

#include "base/backend.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::base {

class DeviceLinks;

/// What ranks tell each other of vectors that lie in the memory of a backend: from device to device
/// where these reach each other, else by way of the host's memory. All ranks call it together.
class VectorExchange {
 public:
  /// `ranks` must outlive it; each rank gives its own backend, of the same kind on all.
  VectorExchange(const Communicator& ranks, const Backend& backend);

  const Communicator& ranks() const { return ranks_; }
  const Backend& backend() const { return backend_; }
  /// Numbers of one exchange: where they go by way of the host, more would need room there.
  Index most_at_once() const;

  /// A vector of which each rank has the rows that a layout gives it, in canonical order on every
  /// rank, which has room for all of it.
  void everywhere(const Layout& layout, const double* mine, double* whole) const;
  /// The same but for the rows of this rank, for which there need not be room.
  void others(const Layout& layout, const double* mine, double* whole) const;

  /// All to all, as Communicator::exchange().
  void exchange(std::span<const double> send, std::span<const Index> sent,
                std::span<double> receive, std::span<const Index> received) const;

 private:
  void others_by_host(const Layout& layout, const double* mine, double* whole) const;

  const Communicator& ranks_;
  Backend backend_;
  const DeviceLinks* links_;
};

}  // namespace cisolve::base
