#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "base/loops.hpp"
#include "sparse/rows/row_source.hpp"
#include "sparse/tiled/cuda/block_view.cuh"

// Ranges of the rows of a matrix in the memory of a device, one after the other.
namespace cisolve::sparse::cuda {

/// An array that grows as it is asked for; what it held is lost then.
template <class T>
class Room {
 public:
  Room(const base::Backend& device, std::string_view what) : what_(what), array_(device, 0, what) {}

  T* at_least(Index size) {
    if (size <= array_.size()) return array_.data();
    const base::Backend device = array_.backend();
    array_ = base::Array<T>(device, 0, what_);  // the old one goes first
    array_ = base::Array<T>(device, size, what_);
    return array_.data();
  }
  T* copy_of(std::span<const T> values) {
    T* data = at_least(std::ssize(values));
    const base::Backend& device = array_.backend();
    base::copy_bytes(device.host(), values.data(), device, data,
                     static_cast<Index>(values.size_bytes()));
    return data;
  }
  /// What begins the array, in host memory.
  std::vector<T> first(Index size) const {
    std::vector<T> values(size);
    const base::Backend& device = array_.backend();
    base::copy_bytes(device, array_.data(), device.host(), values.data(), size * Index{sizeof(T)});
    return values;
  }
  T* data() { return array_.data(); }

 private:
  std::string_view what_;
  base::Array<T> array_;
};

/// Who writes rows side by side into a device's memory.
class RowFeed {
 public:
  RowFeed() = default;
  RowFeed(const RowFeed&) = delete;
  RowFeed& operator=(const RowFeed&) = delete;
  virtual ~RowFeed() = default;

  /// Rows [first, last); `offsets`, from 0, are on the device.
  virtual void write(Index first, Index last, const Index* offsets, Column* columns,
                     double* values) const = 0;
};

/// The device itself.
class DeviceFeed final : public RowFeed {
 public:
  explicit DeviceFeed(const DeviceRows& rows) : rows_(rows) {}
  void write(Index first, Index last, const Index* offsets, Column* columns,
             double* values) const override {
    rows_.fill_range(first, last,
                     {.tail_first = offsets, .tail_columns = columns, .tail_values = values});
  }

 private:
  const DeviceRows& rows_;
};

/// Its host, which holds a part of the rows at a time; `offsets` are those of all rows.
class HostFeed final : public RowFeed {
 public:
  HostFeed(const RowSource& rows, std::span<const Index> offsets, const base::Backend& device)
      : rows_(rows), offsets_(offsets), device_(device) {}

  void write(Index first, Index last, const Index* /*offsets*/, Column* columns,
             double* values) const override {
    constexpr Index kPart = Index{1} << 21;  // elements, unless a chunk of rows has more
    const Index begin = offsets_[first];
    for (Index row = first; row < last;) {
      const Index part = row;
      for (row = end_of_chunk(row, last); row < last;) {
        const Index further = end_of_chunk(row, last);
        if (offsets_[further] - offsets_[part] > kPart) break;
        row = further;
      }
      copy(part, row, columns + (offsets_[part] - begin), values + (offsets_[part] - begin));
    }
  }

 private:
  /// A source is asked for no rows of two of its chunks at once.
  Index end_of_chunk(Index row, Index last) const {
    return std::min(last, (row / rows_.grain() + 1) * rows_.grain());
  }

  void copy(Index first, Index last, Column* columns, double* values) const {
    const base::Backend host = device_.host();
    const Index begin = offsets_[first];
    const Index size = offsets_[last] - begin;
    base::Array<Column> read_columns(host, size, "the rows that are read at once");
    base::Array<double> read_values(host, size, "the rows that are read at once");
    const Index grain = rows_.grain();
    const Index first_chunk = first / grain;
    const Index chunks = last == first ? 0 : (last - 1) / grain + 1 - first_chunk;
    base::for_each_chunk(chunks, 1, host, [&](Index chunk, Index) {
      const Index from = std::max(first, (first_chunk + chunk) * grain);
      const Index to = end_of_chunk(from, last);
      const Index at = offsets_[from] - begin;
      const Index count = offsets_[to] - offsets_[from];
      rows_.fill(from, to, read_columns.span().subspan(at, count),
                 read_values.span().subspan(at, count));
    });
    base::copy_bytes(host, read_columns.data(), device_, columns, read_columns.bytes());
    base::copy_bytes(host, read_values.data(), device_, values, read_values.bytes());
  }

  const RowSource& rows_;
  std::span<const Index> offsets_;
  base::Backend device_;
};

/// The range that was asked for last.
class RowWindow {
 public:
  /// For ranges of so many elements, but of one block in any case.
  RowWindow(const RowFeed& feed, std::span<const Index> offsets, Index elements,
            const base::Backend& device)
      : feed_(feed),
        all_offsets_(offsets),
        elements_(elements),
        offsets_(device, "the offsets of rows that are laid out"),
        columns_(device, "the columns of rows that are laid out"),
        values_(device, "the values of rows that are laid out") {}

  bool has_room(Index first, Index last) const {
    return all_offsets_[last] - all_offsets_[first] <= elements_;
  }

  void load(Index first, Index last) {
    if (has_room(0, std::ssize(all_offsets_) - 1)) {
      first = 0;
      last = std::ssize(all_offsets_) - 1;
    }
    if (first_ <= first && last <= last_) return;
    std::vector<Index> mine(all_offsets_.begin() + first, all_offsets_.begin() + last + 1);
    for (Index& offset : mine) offset -= all_offsets_[first];
    last_ = first_ = first;  // until it is written
    const Index size = std::max(mine.back(), std::min(elements_, all_offsets_.back()));
    const Index* offsets = offsets_.copy_of(mine);
    feed_.write(first, last, offsets, columns_.at_least(size), values_.at_least(size));
    last_ = last;
  }

  Index first() const { return first_; }
  WindowView view() { return {offsets_.data(), columns_.data(), values_.data()}; }

 private:
  const RowFeed& feed_;
  std::span<const Index> all_offsets_;
  Index elements_;
  Room<Index> offsets_;
  Room<Column> columns_;
  Room<double> values_;
  Index first_ = 0;
  Index last_ = 0;
};

}  // namespace cisolve::sparse::cuda
