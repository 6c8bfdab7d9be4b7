#pragma once

#include <functional>

#include "base/ranks/communicator.hpp"
#include "base/ranks/device_links.hpp"

namespace cisolve::base {

/// Ways between devices by messages from one rank to another. Two ranks begin those that they have
/// with each other in the same order.
class MessageLinks : public DeviceLinks {
 public:
  void others(const Layout& layout, const double* mine, double* whole) const final;
  void exchange(const double* send, std::span<const Index> sent, double* receive,
                std::span<const Index> received) const final;

 protected:
  explicit MessageLinks(const Communicator& ranks) : ranks_(ranks) {}  // which must outlive it
  const Communicator& ranks() const { return ranks_; }

 private:
  virtual void send_to(int rank, const double* numbers, Index count) const = 0;
  virtual void receive_from(int rank, double* numbers, Index count) const = 0;
  /// What a rank sends to itself.
  virtual void keep(const double* from, double* to, Index count) const = 0;
  /// Begins messages as one, and waits until they have come.
  virtual void together(const std::function<void()>& start) const = 0;

  const Communicator& ranks_;
};

}  // namespace cisolve::base
