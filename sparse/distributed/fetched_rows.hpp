#pragma once

#include <vector>

#include "base/array.hpp"
#include "base/block.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::sparse {

/// Remote rows of vectors that a rank needs in each product (its halo). The exchange plan is made
/// once; buffers are allocated in advance.
class FetchedRows {
 public:
  /// Collective. `needed` are ascending canonical row numbers owned by other ranks, in a layout
  /// with one piece per rank.
  FetchedRows(const base::Communicator& ranks, const base::Layout& layout,
              std::vector<base::Index> needed, const base::Backend& host);

  base::Index count() const { return std::ssize(needed_); }
  base::Index bytes() const;
  /// Number of vectors per exchange, equal on all ranks.
  int columns() const { return columns_; }

  /// Collective, in host memory, not thread-safe. `own` are the rank's rows of vectors; writes the
  /// needed rows of the same vectors to `fetched`, column by column.
  void fetch(base::ConstBlock own, base::Block fetched) const;

 private:
  const base::Communicator& ranks_;
  std::vector<base::Index> needed_;
  std::vector<base::Index> needed_from_;  // count per rank
  std::vector<base::Index> sent_rows_;    // own rows that other ranks need, by rank
  std::vector<base::Index> sent_to_;
  int columns_ = 1;
  base::Reservation numbers_;  // memory of row numbers
  mutable base::Array<double> send_;
  mutable base::Array<double> receive_;
};

}  // namespace cisolve::sparse
