#pragma once

#include <span>
#include <string>

#include "base/ranks/layout.hpp"
#include "base/types.hpp"

namespace cisolve::base {

/// Direct channel between the devices of all ranks. As for a communicator, all ranks call the same
/// operations in the same order; each blocks until its numbers are there. Work queued on a device's
/// stream before is complete before numbers are sent.
class DeviceChannel {
 public:
  DeviceChannel() = default;
  DeviceChannel(const DeviceChannel&) = delete;
  DeviceChannel& operator=(const DeviceChannel&) = delete;
  virtual ~DeviceChannel() = default;

  /// Name of the transport, such as "NCCL 2.28.3".
  virtual std::string name() const = 0;

  /// All-gather without this rank's rows: writes the other ranks' rows of a distributed vector into
  /// `whole`, in canonical order.
  virtual void all_gather_others(const Layout& layout, const double* mine, double* whole) const = 0;

  /// All-to-all, as Communicator::exchange().
  virtual void exchange(const double* send, std::span<const Index> sent, double* receive,
                        std::span<const Index> received) const = 0;
};

}  // namespace cisolve::base
