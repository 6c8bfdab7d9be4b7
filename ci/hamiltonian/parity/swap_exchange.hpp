#pragma once

#include <vector>

#include "base/ranks/communicator.hpp"
#include "ci/fock/spaces/string_partition.hpp"
#include "ci/hamiltonian/parity/alpha_beta_swap.hpp"

namespace cisolve::ci {

/// Communication pattern of P x for vectors whose alpha strings are distributed among ranks: x(b,
/// a) goes from the rank of b to that of a. Each rank sends and receives as many elements as it has
/// rows (an all-to-all transpose).
class SwapRoutes {
 public:
  /// The alpha strings with one list of beta strings, numbered among themselves.
  struct Strings {
    std::vector<std::vector<Index>> of_rank;
    std::vector<Index> places;  // first row of each of this rank's strings among its own rows
  };
  /// Elements from rows of the strings `from` to rows of the strings `to`. Sent elements are
  /// ordered [own string][receiver's string], received ones [sender's string][own string].
  struct Route {
    std::size_t from;
    std::size_t to;
    std::vector<Index> sent_at;  // [rank], offset in the send buffer
    std::vector<Index> received_at;
  };

  /// `swap` is in the memory of the host; `first_row` is that of each alpha string.
  SwapRoutes(const base::Communicator& ranks, const AlphaBetaSwap& swap,
             const StringPartition& strings, std::span<const Index> first_row);

  const std::vector<Strings>& strings() const { return strings_; }
  const std::vector<Route>& routes() const { return routes_; }
  int ranks() const { return static_cast<int>(sent_counts_.size()); }
  std::span<const Index> sent_counts() const { return sent_counts_; }
  std::span<const Index> received_counts() const { return received_counts_; }
  /// Elements sent, and elements received.
  Index rows() const { return rows_; }

 private:
  std::size_t add_strings(const Index* rows, Index count, const StringPartition& strings,
                          std::span<const Index> first_row);
  void add_route(std::size_t from, std::size_t to);
  void place_routes();
  Index mine(std::size_t strings) const { return std::ssize(strings_[strings].places); }

  int rank_;
  Index rows_;
  std::vector<Strings> strings_;
  std::vector<Route> routes_;
  std::vector<Index> sent_counts_;
  std::vector<Index> received_counts_;
};

/// Exchanges elements between ranks for the alpha-beta swap P, (P x)(a, b) = x(b, a), on the host:
/// beta strings of one rank become alpha strings of another.
class SwapExchange {
 public:
  /// Arguments as those of SwapRoutes. `ranks` must outlive it.
  SwapExchange(const base::Communicator& ranks, const AlphaBetaSwap& swap,
               const StringPartition& strings, std::span<const Index> first_row,
               const base::Backend& host);

  /// Elements of the workspace: send and receive buffer.
  Index buffer_size() const { return 2 * routes_.rows(); }

  // Collective; each rank has its own rows of the vector.
  ParityNorms norms_of(const double* x, double* buffer) const;
  /// y = factor (y +- P y).
  void add_swapped(Parity parity, double factor, double* y, double* buffer) const;

  Index bytes() const { return swapped_.bytes(); }

 private:
  void send(const SwapRoutes::Route& route, const double* x, double* sent) const;
  void receive(const SwapRoutes::Route& route, const double* received) const;
  /// Stores this rank's rows of P x in `swapped_`.
  void fetch(const double* x, double* buffer) const;

  const base::Communicator& ranks_;
  base::Backend host_;
  SwapRoutes routes_;
  mutable base::Array<double> swapped_;
};

}  // namespace cisolve::ci
