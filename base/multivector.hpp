#pragma once

#include <string_view>

#include "base/array.hpp"
#include "base/block.hpp"

namespace cisolve::base {

/// Block of vectors that owns its memory on a backend; empty after a move. Operations:
/// block_kernels.hpp.
class MultiVector {
 public:
  MultiVector(const Backend& backend, Index rows, int columns,
              std::string_view what = "a block of vectors");
  MultiVector(MultiVector&& other) noexcept;
  MultiVector& operator=(MultiVector&& other) noexcept;
  MultiVector(const MultiVector&) = delete;
  MultiVector& operator=(const MultiVector&) = delete;
  ~MultiVector() = default;

  /// Copy of `source`, which is in the memory of `from`.
  static MultiVector copy_of(const Backend& from, ConstBlock source, const Backend& backend);
  MultiVector to(const Backend& target) const { return copy_of(backend(), block(), target); }

  Index rows() const { return rows_; }
  int columns() const { return columns_; }
  const Backend& backend() const { return values_.backend(); }

  Block block() { return {values_.data(), rows_, columns_, stride_}; }
  ConstBlock block() const { return {values_.data(), rows_, columns_, stride_}; }
  Block block(int first, int count) { return block().slice(first, count); }
  ConstBlock block(int first, int count) const { return block().slice(first, count); }

  /// Host memory only.
  double& operator()(Index row, int column) { return block()(row, column); }
  double operator()(Index row, int column) const { return block()(row, column); }

 private:
  Index rows_;
  int columns_;
  Index stride_;
  Array<double> values_;
};

/// target = source, between any two backends, column by column.
void copy_columns(const Backend& from, ConstBlock source, const Backend& to, Block target);

/// Number of columns of `numbers` elements that an operator allocates at construction for its
/// products, so that others see what is left: four, or fewer if they would exceed an eighth of the
/// free memory, at least one.
int preallocated_columns(const Backend& backend, Index numbers);

}  // namespace cisolve::base
