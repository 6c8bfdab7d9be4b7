#pragma once

#include <functional>
#include <utility>

#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::job {

using base::Index;

/// Hears how many rows were dealt with, from any thread.
using Watch = std::function<void(Index rows)>;

/// The rows of another source, which outlives it; `watch`, if there is any, hears of those that
/// were counted and then of those that were filled.
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
