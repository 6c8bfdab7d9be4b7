#pragma once

#include <span>
#include <string>

#include "base/ranks/layout.hpp"
#include "base/types.hpp"

namespace cisolve::base {

/// Ways between the devices of all ranks that do without the host's memory. As of a communicator,
/// all ranks call the same operations in the same order; each returns when its numbers are there.
/// What was queued on the stream of a rank's device before is done before they leave.
class DeviceLinks {
 public:
  DeviceLinks() = default;
  DeviceLinks(const DeviceLinks&) = delete;
  DeviceLinks& operator=(const DeviceLinks&) = delete;
  virtual ~DeviceLinks() = default;

  /// What carries the numbers, such as "NCCL 2.28.3".
  virtual std::string name() const = 0;

  /// Of a vector of which each rank has the rows that a layout gives it, those of the others, where
  /// they stand in canonical order.
  virtual void others(const Layout& layout, const double* mine, double* whole) const = 0;

  /// All to all, as Communicator::exchange().
  virtual void exchange(const double* send, std::span<const Index> sent, double* receive,
                        std::span<const Index> received) const = 0;
};

}  // namespace cisolve::base
