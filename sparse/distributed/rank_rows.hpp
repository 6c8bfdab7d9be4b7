#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/ranks/layout.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Distributes contiguous rows in canonical order, with nearly equal non-zeros per rank. Surplus
/// ranks get none. Collective; each rank counts a part of the rows.
base::Layout distribute_rows(const base::Communicator& ranks, const RowSource& rows,
                             const base::Backend& host);

/// A contiguous range of a source's rows, with unchanged columns.
class ConsecutiveRows final : public RowSource {
 public:
  /// `rows` is not owned and must outlive this.
  ConsecutiveRows(const RowSource& rows, Index first, Index count)
      : rows_(rows), first_(first), count_(count) {}

  MatrixShape shape() const override { return {count_, rows_.shape().columns, 0, false}; }
  Index grain() const override { return rows_.grain(); }
  void count(Index first, std::span<Column> lengths) const override {
    rows_.count(first_ + first, lengths);
  }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    rows_.fill(first_ + first, first_ + last, columns, values);
  }
  std::vector<double> common_magnitudes(Index most) const override {
    return rows_.common_magnitudes(most);
  }

 private:
  const RowSource& rows_;
  Index first_;
  Index count_;
};

/// Contiguous rows of a square matrix as a matrix with renumbered columns: first the columns of the
/// rank's own rows, then the remote columns that have elements there.
class RankRows final : public RowSource {
 public:
  /// `rows`, `lengths` (of the rank's rows) and `place` are not owned and must outlive this.
  /// place[c] is the number of remote column c among the `fetched` ones.
  RankRows(const RowSource& rows, Index first, std::span<const Column> lengths, Index fetched,
           std::span<const Column> place)
      : rows_(rows), first_(first), lengths_(lengths), fetched_(fetched), place_(place) {}

  MatrixShape shape() const override { return {own(), own() + fetched_, 0, false}; }
  Index grain() const override { return rows_.grain(); }
  void count(Index first, std::span<Column> lengths) const override {
    std::ranges::copy(lengths_.subspan(first, lengths.size()), lengths.begin());
  }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;
  std::vector<double> common_magnitudes(Index most) const override {
    return rows_.common_magnitudes(most);
  }

 private:
  Index own() const { return std::ssize(lengths_); }

  const RowSource& rows_;
  Index first_;
  std::span<const Column> lengths_;
  Index fetched_;
  std::span<const Column> place_;
};

}  // namespace cisolve::sparse
