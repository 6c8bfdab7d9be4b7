#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/types.hpp"

namespace cisolve::base {

class Backend;
class DeviceChannel;

/// Communicator of the ranks of a job, as one rank sees it. All ranks call the same collective
/// operations in the same order, on host memory; each blocks until it has its result, which is
/// bitwise the same on all ranks. An instance belongs to one rank. One process is a communicator of
/// size 1.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// All-reduce: values = sum over all ranks, added in rank order.
  virtual void sum(std::span<double> values) const = 0;

  /// All-reduce: values = minimum over all ranks.
  virtual void minimum(std::span<double> values) const = 0;

  /// Broadcast from `root`.
  virtual void broadcast(std::span<std::byte> bytes, int root) const = 0;

  /// All-to-all: `send` holds sent[r] values for each rank r, in rank order; `receive` gets
  /// received[r] values from each rank r, in rank order.
  virtual void exchange(std::span<const double> send, std::span<const Index> sent,
                        std::span<double> receive, std::span<const Index> received) const = 0;

  /// Direct channel between the devices of the ranks, each of which gives its own backend; null on
  /// all of them if there is none, or for host backends. Collective; later calls return the same.
  virtual const DeviceChannel* device_channel(const Backend& /*backend*/) const { return nullptr; }

  /// Aborts all ranks: waiting and later calls throw PeerFailed. The first reason counts.
  virtual void abort(ErrorKind fault, std::string_view reason) const noexcept = 0;

  double minimum(double value) const;
  double maximum(double value) const { return -minimum(-value); }
  bool all_true(bool mine) const { return minimum(mine ? 1.0 : 0.0) > 0; }
  bool all_same(double value) const;
  /// Whether no two ranks have the same bytes; all give the same number.
  bool all_differ(std::span<const std::byte> mine) const;
  void broadcast(std::span<double> values, int root) const {
    broadcast(std::as_writable_bytes(values), root);
  }
};

/// Thrown by the other ranks if one has aborted.
class PeerFailed : public Error {
 public:
  PeerFailed(ErrorKind fault, const std::string& message) : Error(fault, message) {}
};

/// A single process: operations do nothing.
class OneProcess : public Communicator {
 public:
  using Communicator::broadcast;
  using Communicator::minimum;

  int rank() const final { return 0; }
  int size() const final { return 1; }
  void sum(std::span<double> /*values*/) const override {}
  void minimum(std::span<double> /*values*/) const override {}
  void broadcast(std::span<std::byte> /*bytes*/, int /*root*/) const override {}
  void exchange(std::span<const double> send, std::span<const Index> sent,
                std::span<double> receive, std::span<const Index> received) const override;
  void abort(ErrorKind /*fault*/, std::string_view /*reason*/) const noexcept override {}
};

/// Throws ErrorKind::internal unless there are `size` counts that sum to `values`.
void require_counts(std::span<const Index> counts, int size, std::size_t values);

}  // namespace cisolve::base
