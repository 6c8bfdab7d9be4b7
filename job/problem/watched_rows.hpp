#pragma once

#include <functional>
#include <utility>

#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::job {

using base::Index;

/// Receives the number of processed rows, from any thread.
using Watch = std::function<void(Index rows)>;

/// The rows of another source, which must outlive it; reports those that were counted, then those
/// that were filled, to `watch` unless that is empty.
class WatchedRows final : public sparse::ForwardedRows {
 public:
  WatchedRows(const sparse::RowSource& rows, Watch watch) : rows_(rows), watch_(std::move(watch)) {}

  void count(Index first, std::span<sparse::Column> lengths) const override {
    rows_.count(first, lengths);
    if (watch_) watch_(std::ssize(lengths));
  }
  void fill(Index first, Index last, std::span<sparse::Column> columns,
            std::span<double> values) const override {
    rows_.fill(first, last, columns, values);
    if (watch_) watch_(last - first);
  }

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  const sparse::RowSource& rows_;
  Watch watch_;
};

}  // namespace cisolve::job
