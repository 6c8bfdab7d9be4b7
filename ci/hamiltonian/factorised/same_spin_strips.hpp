#pragma once

#include "ci/hamiltonian/factorised/same_spin_matrix.hpp"

namespace cisolve::ci {

/// A SameSpinMatrix in strips of kRows rows (blocked CSR with kRows x 1 blocks, zeros filled in).
/// Neighbouring strings have many columns in common, so that a row of x is read once for a strip.
class SameSpinStrips {
 public:
  static constexpr int kRows = 4;

  SameSpinStrips(const SameSpinMatrix& matrix, const base::Backend& host);

  Index rows() const { return rows_; }
  Index strips() const { return offsets_.size() - 1; }
  Index begin(Index strip) const { return offsets_[strip]; }
  Index end(Index strip) const { return offsets_[strip + 1]; }
  Column column(Index k) const { return columns_[k]; }
  /// The kRows elements of column(k).
  const double* values(Index k) const { return &values_[k * kRows]; }

  Index bytes() const { return offsets_.bytes() + columns_.bytes() + values_.bytes(); }

 private:
  Index rows_;
  base::Array<Index> offsets_;
  base::Array<Column> columns_;
  base::Array<double> values_;
};

/// Non-empty columns, summed over all strips.
Index count_columns(const SameSpinMatrix& matrix);

}  // namespace cisolve::ci
