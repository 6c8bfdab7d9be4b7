#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ranks/communicator.hpp"
#include "base/ranks/device_channel.hpp"
#include "dist/mpi/failure_channel.hpp"

namespace cisolve::dist {

/// Communicator over MPI, bitwise equivalent to base's thread ranks: sums in rank order, mismatched
/// operations are errors on all ranks, nobody waits for a rank that has failed or left. Each
/// operation therefore starts with a rendezvous, at which all see each rank's operation; short sums
/// are done in it.
///
/// MPI cannot cancel a collective operation. Buffers that it may still write to after a failure
/// belong to this object and are leaked.
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
  /// Created at the first call.
  const base::DeviceChannel* device_channel(const base::Backend& backend) const override;
  void abort(base::ErrorKind fault, std::string_view reason) const noexcept override;

 private:
  enum class Operation : std::int64_t { sum, minimum, broadcast, exchange, agree };
  static constexpr std::size_t kShort = 29;  // values sent with a rendezvous

  struct Offer {
    Operation operation = Operation::sum;
    std::int64_t size = 0;
    std::int64_t root = 0;
    double values[kShort] = {};
  };

  /// Buffers of MPI operations.
  struct Buffers {
    Offer mine;
    std::vector<Offer> offers;
    std::vector<double> piece;
    std::vector<double> pieces;  // one piece per rank
    std::vector<base::Index> counts;
    std::vector<base::Index> their_counts;
    std::vector<MPI_Request> requests;
  };

  template <class Join>
  void combine(Operation operation, std::span<double> values, Join join) const;
  void rendezvous(Operation operation, std::size_t size, int root,
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
  std::unique_ptr<FailureChannel> failure_channel_;
  mutable std::unique_ptr<Buffers> buffers_;
  mutable std::int64_t operations_ = 0;  // rendezvous of this rank so far
  mutable std::optional<FailureChannel::Failure> failure_;
  mutable const void* linked_ = nullptr;  // the device of the channel
  mutable std::unique_ptr<base::DeviceChannel> channel_;
};

}  // namespace cisolve::dist
