#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sparse/rows/device_rows.hpp"

namespace cisolve::sparse {

/// A matrix that can be read row by row, in any order, by many threads at once, and more than once.
/// Every storage format is built from one: a first pass counts, a second one fills.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  virtual MatrixShape shape() const = 0;

  /// The number of rows that are best asked for together, starting at a multiple of it.
  virtual Index grain() const { return 256; }

  /// Writes the lengths of the rows that begin at `first`.
  virtual void count(Index first, std::span<Column> lengths) const = 0;

  /// Writes rows [first, last) one after the other, columns ascending and without repeats within a
  /// row; exactly as many elements as count() announced.
  virtual void fill(Index first, Index last, std::span<Column> columns,
                    std::span<double> values) const = 0;

  /// Magnitudes that many elements have, ascending and each once, where they are known without a
  /// look at the rows and are not more than `most`; elements may have others all the same.
  virtual std::vector<double> common_magnitudes(Index /*most*/) const { return {}; }

  /// The same rows as `device`, a cuda backend, writes them itself; null where only the host can.
  /// What they stand on is copied, so they may outlive this.
  virtual std::unique_ptr<DeviceRows> on(const base::Backend& /*device*/) const { return nullptr; }
};

}  // namespace cisolve::sparse
