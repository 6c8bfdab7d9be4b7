#pragma once

#include <span>

#include "base/backend.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::base {

class DeviceChannel;

/// Exchange of distributed vectors in a backend's memory: directly between devices if possible,
/// else through host memory. Collective.
class VectorExchange {
 public:
  /// `ranks` must outlive it; each rank gives its own backend, all of the same kind.
  VectorExchange(const Communicator& ranks, const Backend& backend);

  const Communicator& ranks() const { return ranks_; }
  const Backend& backend() const { return backend_; }
  /// Limit of numbers per exchange: through the host, more would need extra memory.
  Index most_at_once() const;

  /// All-gather: the whole vector in canonical order on every rank.
  void all_gather(const Layout& layout, const double* mine, double* whole) const;
  /// Like all_gather(), but does not write this rank's own rows.
  void all_gather_others(const Layout& layout, const double* mine, double* whole) const;

  /// All-to-all, as Communicator::exchange().
  void exchange(std::span<const double> send, std::span<const Index> sent,
                std::span<double> receive, std::span<const Index> received) const;

 private:
  void all_gather_others_by_host(const Layout& layout, const double* mine, double* whole) const;

  const Communicator& ranks_;
  Backend backend_;
  const DeviceChannel* channel_;
};

}  // namespace cisolve::base
