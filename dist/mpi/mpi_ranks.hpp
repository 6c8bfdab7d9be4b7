#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ranks/communicator.hpp"
#include "base/ranks/device_links.hpp"
#include "dist/mpi/notices.hpp"

namespace cisolve::dist {

/// The ranks of MPI. They do as base's ranks of threads do, to the bit: sums are added in the order
/// of the ranks, operations that do not fit each other are an error on all of them, and nobody
/// waits for one that has failed or left. To that end each operation begins with a meeting, at
/// which all see what each of them is about to do; a short sum is done with it.
///
/// MPI cannot withdraw an operation of all ranks. What it may still write to, after a failure, are
/// therefore buffers of this object, which then stay.
class MpiRanks final : public base::Communicator {
 public:
  explicit MpiRanks(base::Index piece);
  ~MpiRanks() override;

  using Communicator::broadcast;
  using Communicator::minimum;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(std::span<double> values) const override;
  void minimum(std::span<double> values) const override;
  void broadcast(std::span<std::byte> bytes, int root) const override;
  void exchange(std::span<const double> send, std::span<const base::Index> sent,
                std::span<double> receive, std::span<const base::Index> received) const override;
  /// Through NCCL, from when they are first asked for.
  const base::DeviceLinks* links(const base::Backend& backend) const override;
  void abort(base::Fault fault, std::string_view reason) const noexcept override;

 private:
  enum class Operation : std::int64_t { sum, minimum, broadcast, exchange, agree };
  static constexpr std::size_t kShort = 29;  // values that a meeting brings with it

  struct Offer {
    Operation operation = Operation::sum;
    std::int64_t size = 0;
    std::int64_t root = 0;
    double values[kShort] = {};
  };

  /// Where MPI reads and writes.
  struct Buffers {
    Offer mine;
    std::vector<Offer> offers;
    std::vector<double> piece;
    std::vector<double> pieces;  // of all ranks
    std::vector<base::Index> counts;
    std::vector<base::Index> their_counts;
    std::vector<MPI_Request> requests;
  };

  template <class Join>
  void combine(Operation operation, std::span<double> values, Join join) const;
  void meet(Operation operation, std::size_t size, int root,
            std::span<const double> values = {}) const;
  void swap_piece(std::span<const double> send, std::span<const base::Index> sent,
                  std::span<double> receive, std::span<const base::Index> received,
                  base::Index first) const;
  void wait() const;
  void require_going_on() const;
  bool wait_for_all_to_leave() const;

  base::Index piece_;
  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::unique_ptr<Notices> notices_;
  mutable std::unique_ptr<Buffers> buffers_;
  mutable std::int64_t operations_ = 0;  // meetings that this rank came to
  mutable std::optional<Notices::Failure> failure_;
  mutable const void* linked_ = nullptr;  // the device that was asked about
  mutable std::unique_ptr<base::DeviceLinks> links_;
};

}  // namespace cisolve::dist
