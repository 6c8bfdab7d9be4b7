#pragma once

#include "ci/factorised/string_matrix.hpp"

namespace cisolve::ci {

/// A string matrix as strips of a few rows: neighbouring strings have many columns in common, so
/// that what stands in a column is read once for all rows of a strip. Where but some of these have
/// an element the others have a zero.
class StringStrips {
 public:
  static constexpr int kRows = 4;

  StringStrips(const StringMatrix& matrix, const base::Backend& host);

  Index rows() const { return rows_; }
  Index strips() const { return offsets_.size() - 1; }
  Index begin(Index strip) const { return offsets_[strip]; }
  Index end(Index strip) const { return offsets_[strip + 1]; }
  Column column(Index k) const { return columns_[k]; }
  /// Of the rows of its strip.
  const double* values(Index k) const { return &values_[k * kRows]; }

  Index bytes() const { return offsets_.bytes() + columns_.bytes() + values_.bytes(); }

 private:
  Index rows_;
  base::Array<Index> offsets_;
  base::Array<Column> columns_;
  base::Array<double> values_;
};

/// Columns in which a strip has elements, of all strips.
Index count_columns(const StringMatrix& matrix);

}  // namespace cisolve::ci
