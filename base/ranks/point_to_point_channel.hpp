#pragma once

#include <functional>

#include "base/ranks/communicator.hpp"
#include "base/ranks/device_channel.hpp"

namespace cisolve::base {

/// Channel between devices by point-to-point messages. Any two ranks start their messages in the
/// same order.
class PointToPointChannel : public DeviceChannel {
 public:
  void all_gather_others(const Layout& layout, const double* mine, double* whole) const final;
  void exchange(const double* send, std::span<const Index> sent, double* receive,
                std::span<const Index> received) const final;

 protected:
  /// `ranks` must outlive it.
  explicit PointToPointChannel(const Communicator& ranks) : ranks_(ranks) {}
  const Communicator& ranks() const { return ranks_; }

 private:
  virtual void send_to(int rank, const double* numbers, Index count) const = 0;
  virtual void receive_from(int rank, double* numbers, Index count) const = 0;
  /// Copies what a rank sends to itself.
  virtual void keep(const double* from, double* to, Index count) const = 0;
  /// Starts messages as a group, and waits for their completion.
  virtual void begin_as_group(const std::function<void()>& start) const = 0;

  const Communicator& ranks_;
};

}  // namespace cisolve::base
