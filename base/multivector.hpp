#pragma once

#include <string_view>

#include "base/array.hpp"
#include "base/block.hpp"

namespace cisolve::base {

/// A block of vectors that owns its memory on a backend; one that was moved from has none. The
/// operations are in block_kernels.hpp.
class MultiVector {
 public:
  MultiVector(const Backend& backend, Index rows, int columns,
              std::string_view what = "a block of vectors");
  MultiVector(MultiVector&& other) noexcept;
  MultiVector& operator=(MultiVector&& other) noexcept;
  MultiVector(const MultiVector&) = delete;
  MultiVector& operator=(const MultiVector&) = delete;
  ~MultiVector() = default;

  /// A copy of `source`, which lies in the memory of `from`.
  static MultiVector copy_of(const Backend& from, ConstBlock source, const Backend& backend);
  MultiVector to(const Backend& target) const { return copy_of(backend(), block(), target); }

  Index rows() const { return rows_; }
  int columns() const { return columns_; }
  const Backend& backend() const { return values_.backend(); }

  Block block() { return {values_.data(), rows_, columns_, stride_}; }
  ConstBlock block() const { return {values_.data(), rows_, columns_, stride_}; }
  Block block(int first, int count) { return block().slice(first, count); }
  ConstBlock block(int first, int count) const { return block().slice(first, count); }

  /// Only where the host can touch the values.
  double& operator()(Index row, int column) { return block()(row, column); }
  double operator()(Index row, int column) const { return block()(row, column); }

 private:
  Index rows_;
  int columns_;
  Index stride_;
  Array<double> values_;
};

/// target = source, in the memories of any two backends, column by column.
void copy_columns(const Backend& from, ConstBlock source, const Backend& to, Block target);

/// Columns of so many numbers that an operator holds for its products from its beginning, so that
/// what else needs memory takes no more than is left: four, or fewer where these would be more than
/// an eighth of what is left, but one.
int held_columns(const Backend& backend, Index numbers);

}  // namespace cisolve::base
