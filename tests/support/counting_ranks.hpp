#pragma once

#include "base/ranks/communicator.hpp"
#include "job/plan/traffic.hpp"

namespace cisolve::test {

/// Communicator that counts the bytes that this rank sends and receives. Sums of a few numbers
/// count as operations without bytes, as in a model of large vectors.
class CountingRanks final : public base::Communicator {
 public:
  using Communicator::broadcast;
  using Communicator::minimum;

  explicit CountingRanks(const base::Communicator& inner) : inner_(inner) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  void sum(std::span<double> values) const override {
    counted_.operations += 1;
    inner_.sum(values);
  }
  void minimum(std::span<double> values) const override {
    counted_.operations += 1;
    inner_.minimum(values);
  }
  void broadcast(std::span<std::byte> bytes, int root) const override {
    const auto count = static_cast<double>(bytes.size());
    counted_.operations += 1;
    if (root == rank()) counted_.gathered.sent += count * (size() - 1);
    if (root != rank()) counted_.gathered.received += count;
    inner_.broadcast(bytes, root);
  }
  void exchange(std::span<const double> send, std::span<const base::Index> sent,
                std::span<double> receive, std::span<const base::Index> received) const override {
    counted_.operations += 1;
    counted_.exchanged.sent += bytes_of_others(sent);
    counted_.exchanged.received += bytes_of_others(received);
    inner_.exchange(send, sent, receive, received);
  }
  void abort(base::ErrorKind fault, std::string_view reason) const noexcept override {
    inner_.abort(fault, reason);
  }

  /// Counts since the last call.
  job::Traffic counted() const { return std::exchange(counted_, {}); }

 private:
  double bytes_of_others(std::span<const base::Index> counts) const {
    base::Index values = 0;
    for (int r = 0; r < size(); ++r)
      if (r != rank()) values += counts[r];
    return static_cast<double>(values) * sizeof(double);
  }

  const base::Communicator& inner_;
  mutable job::Traffic counted_;
};

}  // namespace cisolve::test
