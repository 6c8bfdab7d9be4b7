#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/ranks/layout.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Neighbouring rows for each rank, in canonical order, with about as many non-zeros each. Ranks
/// that are more than rows have none. Each counts some rows; all ask for it together.
base::Layout share_rows(const base::Communicator& ranks, const RowSource& rows,
                        const base::Backend& host);

/// Neighbouring rows of a source, columns as they are.
class NeighbouringRows final : public RowSource {
 public:
  /// `rows` must outlive it.
  NeighbouringRows(const RowSource& rows, Index first, Index count)
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

/// Neighbouring rows of a square matrix as a matrix of their own, whose columns are numbered anew:
/// first those of the same numbers as the rows, then the others that have elements there.
class RowsOfOneRank final : public RowSource {
 public:
  /// `rows` must outlive it, and what is known of the share: the lengths of its rows, and of each
  /// column beyond it that has elements, its place among those.
  RowsOfOneRank(const RowSource& rows, Index first, std::span<const Column> lengths, Index fetched,
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
