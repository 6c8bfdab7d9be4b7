#pragma once

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/rows/shape.hpp"

namespace cisolve::sparse {

/// Destinations of a matrix's elements in the arrays of a format. The first head_lengths[row]
/// elements of a row are contiguous from row * head_width on; the others begin at tail_first[row],
/// `tail_step` apart. All arrays are on one backend.
struct RowDestinations {
  const Column* head_lengths = nullptr;  // null: no head
  Index head_width = 0;
  Column* head_columns = nullptr;
  double* head_values = nullptr;
  const Index* tail_first = nullptr;
  Index tail_step = 1;
  Column* tail_columns = nullptr;
  double* tail_values = nullptr;
};

/// Destination of one row.
class RowDestination {
 public:
  CISOLVE_HOST_DEVICE RowDestination(const RowDestinations& all, Index row)
      : head_length_(all.head_lengths == nullptr ? 0 : all.head_lengths[row]),
        head_columns_(all.head_columns + row * all.head_width),
        head_values_(all.head_values + row * all.head_width),
        tail_columns_(all.tail_columns + all.tail_first[row]),
        tail_values_(all.tail_values + all.tail_first[row]),
        tail_step_(all.tail_step) {}

  /// Writes element number k of the row.
  CISOLVE_HOST_DEVICE void write(Index k, Column column, double value) const {
    if (k < head_length_) {
      head_columns_[k] = column;
      head_values_[k] = value;
    } else {
      const Index place = (k - head_length_) * tail_step_;
      tail_columns_[place] = column;
      tail_values_[place] = value;
    }
  }

 private:
  Index head_length_;
  Column* head_columns_;
  double* head_values_;
  Column* tail_columns_;
  double* tail_values_;
  Index tail_step_;
};

/// Rows that a device generates in its own memory: the device's counterpart of RowSource, with
/// bitwise the same elements in the same order.
class DeviceRows {
 public:
  DeviceRows() = default;
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;
  virtual ~DeviceRows() = default;

  virtual MatrixShape shape() const = 0;
  virtual const base::Backend& device() const = 0;

  /// Number of elements of each row in columns below `end`; in the device's memory.
  virtual base::Array<Column> lengths(Index end) const = 0;

  /// Writes every element of the rows [first, last); the destinations count from row `first`.
  /// Positions without an element are not touched. Queued on the device's stream.
  virtual void fill_range(Index first, Index last, const RowDestinations& places) const = 0;
  void fill(const RowDestinations& places) const { fill_range(0, shape().rows, places); }
};

}  // namespace cisolve::sparse
