#pragma once

#include <vector>

#include "base/array.hpp"
#include "base/block.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::sparse {

/// The rows of vectors that a rank needs of the others, in each product: agreed upon once, and
/// fetched as often as is wanted, in room that is held from the beginning.
class FetchedRows {
 public:
  /// `needed` are numbers of canonical rows that others have, ascending, by a layout of one piece a
  /// rank. All ranks make theirs together.
  FetchedRows(const base::Communicator& ranks, const base::Layout& layout,
              std::vector<base::Index> needed, const base::Backend& host);

  base::Index count() const { return std::ssize(needed_); }
  base::Index bytes() const;
  /// Of vectors that may be fetched at once, as many on all ranks.
  int columns() const { return columns_; }

  /// Of vectors of which each rank has its own rows: those needed, column by column, into
  /// `fetched`, which has as many rows. All ranks do so together, on memory of the host, and not
  /// concurrently.
  void fetch(base::ConstBlock own, base::Block fetched) const;

 private:
  const base::Communicator& ranks_;
  std::vector<base::Index> needed_;
  std::vector<base::Index> needed_of_;  // how many of each rank
  std::vector<base::Index> given_;      // own rows that others need, by rank
  std::vector<base::Index> given_to_;
  int columns_ = 1;
  base::Reservation numbers_;  // of rows
  mutable base::Array<double> send_;
  mutable base::Array<double> receive_;
};

}  // namespace cisolve::sparse
