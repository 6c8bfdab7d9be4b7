#pragma once

#include <vector>

#include "base/ranks/communicator.hpp"
#include "ci/factorised/spin_flip.hpp"
#include "ci/spaces/dealt_strings.hpp"

namespace cisolve::ci {

/// The exchange of alpha and beta electrons in vectors whose alpha strings are dealt out among
/// ranks: what stands in (b, a) goes from the rank of b to that of a. Each rank sends and receives
/// as many numbers as it has rows, and has room for these.
class FlipExchange {
 public:
  /// `flip` lies in the memory of the host, `first_row` is that of each alpha string. `ranks` must
  /// outlive it.
  FlipExchange(const base::Communicator& ranks, const SpinFlip& flip, const DealtStrings& strings,
               std::span<const Index> first_row, const base::Backend& host);

  // Of vectors of which each rank has its own rows; all ranks do so together.
  ParityNorms norms_of(const double* x) const;
  /// y = factor (y + y flipped), or factor (y - y flipped).
  void add_flipped(Parity parity, double factor, double* y) const;

  Index bytes() const { return sent_.bytes() + received_.bytes() + flipped_.bytes(); }

 private:
  /// Alpha strings with one list of beta strings, numbered within the list that they are.
  struct Strings {
    std::vector<std::vector<Index>> of_rank;
    std::vector<Index> places;  // of those of this rank: first rows among its own
  };
  /// What goes from rows of some strings to those of the strings that stand in their lists.
  struct Way {
    std::size_t from;
    std::size_t to;
    std::vector<Index> sent_at;  // of each rank, where it begins in what is sent
    std::vector<Index> received_at;
  };

  std::size_t add_strings(const Index* rows, Index count, const DealtStrings& strings,
                          std::span<const Index> first_row);
  void add_way(std::size_t from, std::size_t to);
  void place_ways();
  Index mine(std::size_t strings) const { return std::ssize(strings_[strings].places); }
  void send(const Way& way, const double* x) const;
  void receive(const Way& way) const;
  /// Into `flipped_`.
  void fetch(const double* x) const;

  const base::Communicator& ranks_;
  base::Backend host_;
  std::vector<Strings> strings_;
  std::vector<Way> ways_;
  std::vector<Index> sent_counts_;
  std::vector<Index> received_counts_;
  mutable base::Array<double> sent_;
  mutable base::Array<double> received_;
  mutable base::Array<double> flipped_;
};

}  // namespace cisolve::ci
