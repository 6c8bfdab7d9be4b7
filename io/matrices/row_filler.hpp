#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/backend.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::io {

using base::Column;
using base::Index;

/// Builds CSR from elements in any order without a second copy of them: every element is first
/// announced (counted), then put at the next free position of its row, and rows are sorted at the
/// end. announce() and put() are thread-safe for the threads of `host`, best with kBatch elements
/// at a time: the cache misses of one call overlap.
class RowFiller {
 public:
  static constexpr std::size_t kBatch = 256;

  struct Element {
    Column row;
    Column column;
    double value;
  };
  struct Position {
    Index row;
    Index column;
  };

  RowFiller(const sparse::MatrixShape& shape, const base::Backend& host);

  void announce(std::span<const Element> elements);
  /// Must be called once, between announcements and elements.
  void allocate();
  void put(std::span<const Element> elements);
  /// Returns the first element that was put twice, if there is one.
  std::optional<Position> sort_rows();
  sparse::Csr take() { return std::move(matrix_); }

 private:
  Index next_after(Index& counter) const {
    if (!shared_) return counter++;
    return std::atomic_ref<Index>(counter).fetch_add(1, std::memory_order_relaxed);
  }
  std::optional<Position> sort_row(Index row);

  base::Backend host_;
  bool shared_;  // host has several threads
  sparse::Csr matrix_;
  Index* cursors_;  // offsets + 1: row lengths, then the next free position, finally row ends
};

/// Collects single elements and passes them on in batches.
template <class Take>
class ElementBatch {
 public:
  explicit ElementBatch(Take take) : take_(std::move(take)) { batch_.reserve(RowFiller::kBatch); }

  void add(Index row, Index column, double value) {
    batch_.push_back({static_cast<Column>(row), static_cast<Column>(column), value});
    if (batch_.size() == RowFiller::kBatch) flush();
  }
  void flush() {
    take_(std::span<const RowFiller::Element>(batch_));
    batch_.clear();
  }

 private:
  Take take_;
  std::vector<RowFiller::Element> batch_;
};

}  // namespace cisolve::io
