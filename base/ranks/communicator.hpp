#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/types.hpp"

namespace cisolve::base {

class Backend;
class DeviceLinks;

/// The ranks that share one piece of work, as one of them sees them. All of them call the same
/// operations in the same order, on memory of the host; each returns when its result is there,
/// which is the same on all ranks to the last bit. An instance belongs to one rank. One process is
/// a communicator of size 1, so that its loop is also the loop of many.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Each value becomes its sum over all ranks, added in the order of the ranks.
  virtual void sum(std::span<double> values) const = 0;

  /// Each value becomes the smallest that any rank has.
  virtual void minimum(std::span<double> values) const = 0;

  /// Everywhere what `root` has.
  virtual void broadcast(std::span<std::byte> bytes, int root) const = 0;

  /// All to all: of `send`, the next sent[r] values go to rank r, in the order of the ranks, and
  /// `receive` takes received[r] values of rank r likewise.
  virtual void exchange(std::span<const double> send, std::span<const Index> sent,
                        std::span<double> receive, std::span<const Index> received) const = 0;

  /// How devices of these ranks reach each other, each of which gives its own; null on all of them
  /// where they do not, and of the host. All ranks ask for it together; later it is known.
  virtual const DeviceLinks* links(const Backend& /*backend*/) const { return nullptr; }

  /// Ends the work of all ranks: those that wait, and every later call, throw a PeerFailed. The
  /// first reason counts.
  virtual void abort(Fault fault, std::string_view reason) const noexcept = 0;

  double minimum(double value) const;
  double maximum(double value) const { return -minimum(-value); }
  bool all_true(bool mine) const { return minimum(mine ? 1.0 : 0.0) > 0; }
  bool all_same(double value) const;
  /// Whether no two ranks have the same bytes, of which each gives as many.
  bool all_differ(std::span<const std::byte> mine) const;
  void broadcast(std::span<double> values, int root) const {
    broadcast(std::as_writable_bytes(values), root);
  }
};

/// What the other ranks throw where one has aborted.
class PeerFailed : public Error {
 public:
  PeerFailed(Fault fault, const std::string& message) : Error(fault, message) {}
};

/// One process: its sums are the sums, and nobody waits.
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
  void abort(Fault /*fault*/, std::string_view /*reason*/) const noexcept override {}
};

/// Throws Fault::internal where lists of counts do not fit blocks of so many values, or not `size`
/// ranks.
void require_counts(std::span<const Index> counts, int size, std::size_t values);

}  // namespace cisolve::base
