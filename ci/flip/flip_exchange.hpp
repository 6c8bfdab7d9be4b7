#pragma once

#include <vector>

#include "base/ranks/communicator.hpp"
#include "ci/flip/spin_flip.hpp"
#include "ci/spaces/dealt_strings.hpp"

namespace cisolve::ci {

/// Which numbers go where when alpha and beta electrons are exchanged in vectors whose alpha
/// strings are dealt out among ranks: what stands in (b, a) goes from the rank of b to that of a.
/// Each rank sends and receives as many numbers as it has rows.
class FlipWays {
 public:
  /// Alpha strings with one list of beta strings, numbered within the list that they are.
  struct Strings {
    std::vector<std::vector<Index>> of_rank;
    std::vector<Index> places;  // of those of this rank: first rows among its own
  };
  /// What goes from rows of some strings to those of the strings that stand in their lists. To a
  /// rank it stands by own strings, then by its strings; what comes from one by that one's strings,
  /// then by own ones.
  struct Way {
    std::size_t from;
    std::size_t to;
    std::vector<Index> sent_at;  // of each rank, where it begins in what is sent
    std::vector<Index> received_at;
  };

  /// `flip` lies in the memory of the host, `first_row` is that of each alpha string.
  FlipWays(const base::Communicator& ranks, const SpinFlip& flip, const DealtStrings& strings,
           std::span<const Index> first_row);

  const std::vector<Strings>& strings() const { return strings_; }
  const std::vector<Way>& ways() const { return ways_; }
  int ranks() const { return static_cast<int>(sent_counts_.size()); }
  std::span<const Index> sent_counts() const { return sent_counts_; }
  std::span<const Index> received_counts() const { return received_counts_; }
  /// That are sent, and received.
  Index rows() const { return rows_; }

 private:
  std::size_t add_strings(const Index* rows, Index count, const DealtStrings& strings,
                          std::span<const Index> first_row);
  void add_way(std::size_t from, std::size_t to);
  void place_ways();
  Index mine(std::size_t strings) const { return std::ssize(strings_[strings].places); }

  int rank_;
  Index rows_;
  std::vector<Strings> strings_;
  std::vector<Way> ways_;
  std::vector<Index> sent_counts_;
  std::vector<Index> received_counts_;
};

/// The exchange of alpha and beta electrons among ranks on the host, in room for as many numbers as
/// a rank sends and receives.
class FlipExchange {
 public:
  /// As FlipWays. `ranks` must outlive it.
  FlipExchange(const base::Communicator& ranks, const SpinFlip& flip, const DealtStrings& strings,
               std::span<const Index> first_row, const base::Backend& host);

  /// Numbers of the room.
  Index room() const { return 2 * ways_.rows(); }

  // Of vectors of which each rank has its own rows; all ranks do so together.
  ParityNorms norms_of(const double* x, double* room) const;
  /// y = factor (y + y flipped), or factor (y - y flipped).
  void add_flipped(Parity parity, double factor, double* y, double* room) const;

  Index bytes() const { return flipped_.bytes(); }

 private:
  void send(const FlipWays::Way& way, const double* x, double* sent) const;
  void receive(const FlipWays::Way& way, const double* received) const;
  /// Into `flipped_`.
  void fetch(const double* x, double* room) const;

  const base::Communicator& ranks_;
  base::Backend host_;
  FlipWays ways_;
  mutable base::Array<double> flipped_;
};

}  // namespace cisolve::ci
