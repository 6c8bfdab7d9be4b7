#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "base/cuda/context.hpp"
#include "base/loops.hpp"
#include "sparse/rows/row_source.hpp"
#include "sparse/tiled/cuda/block_view.cuh"

// Ranges of the rows of a matrix in the memory of a device, one after the other.
namespace cisolve::sparse::cuda {

/// An array that grows as it is asked for; what it held is lost then.
template <class T>
class GrowingArray {
 public:
  GrowingArray(const base::Backend& device, std::string_view what)
      : what_(what), array_(device, 0, what) {}

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

  /// Rows [first, last), which begin at element `before`, as their `offsets` on the device say.
  virtual void write(Index first, Index last, const Index* offsets, Index before, Column* columns,
                     double* values) const = 0;
};

/// The device itself.
class DeviceFeed final : public RowFeed {
 public:
  explicit DeviceFeed(const DeviceRows& rows) : rows_(rows) {}
  void write(Index first, Index last, const Index* offsets, Index /*before*/, Column* columns,
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

  void write(Index first, Index last, const Index* /*offsets*/, Index before, Column* columns,
             double* values) const override {
    constexpr Index kPart = Index{1} << 21;  // elements, unless a chunk of rows has more
    const Index begin = offsets_[first] - before;
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

/// Rows [first, last), which begin at row `place` of a window.
struct RowRange {
  Index first;
  Index last;
  Index place;
};

/// Where rows begin that stand side by side from element `before` on.
__global__ void shift_offsets(const Index* offsets, Index rows, Index before, Index* shifted) {
  for (Index row = Index{blockIdx.x} * blockDim.x + threadIdx.x; row <= rows;
       row += Index{gridDim.x} * blockDim.x)
    shifted[row] = offsets[row] - offsets[0] + before;
}

/// The ranges that were asked for last.
class RowWindow {
 public:
  /// For ranges of so many elements together, but of one block in any case. `offsets` are those of
  /// all rows, on the host and on the device.
  RowWindow(const RowFeed& feed, std::span<const Index> offsets, base::Array<Index> device_offsets,
            Index elements)
      : feed_(feed),
        all_offsets_(offsets),
        device_offsets_(std::move(device_offsets)),
        elements_(elements),
        offsets_(device_offsets_.backend(), "the offsets of rows that are laid out"),
        columns_(device_offsets_.backend(), "the columns of rows that are laid out"),
        values_(device_offsets_.backend(), "the values of rows that are laid out") {}

  Index elements_between(Index first, Index last) const {
    return all_offsets_[last] - all_offsets_[first];
  }
  bool has_room(Index elements) const { return elements <= elements_; }

  /// Ascending ranges; `place` is found here.
  void load(std::vector<RowRange> ranges) {
    if (has_room(all_offsets_.back())) ranges = {{0, std::ssize(all_offsets_) - 1, 0}};
    if (holds(ranges)) return;
    ranges_.clear();  // until they are written
    Index rows = 0;
    Index size = 0;
    for (RowRange& range : ranges) {
      range.place = rows;
      rows += range.last - range.first;
      size += elements_between(range.first, range.last);
    }
    write(ranges, rows, std::max(size, std::min(elements_, all_offsets_.back())));
    ranges_ = std::move(ranges);
  }

  /// Where a row stands in the window, which has it.
  Index place_of(Index row) const {
    const auto range = std::ranges::find_if(
        ranges_, [row](const RowRange& some) { return some.first <= row && row < some.last; });
    return range->place + row - range->first;
  }
  WindowView view() { return {offsets_.data(), columns_.data(), values_.data()}; }

 private:
  bool holds(const std::vector<RowRange>& ranges) const {
    return ranges.size() == 1 && ranges_.size() == 1 &&
           ranges_.front().first <= ranges.front().first &&
           ranges.front().last <= ranges_.front().last;
  }

  void write(const std::vector<RowRange>& ranges, Index rows, Index size) {
    constexpr Index kThreads = 256;
    constexpr Index kMostBlocks = 4096;
    Index* offsets = offsets_.at_least(rows + 1);
    Column* columns = columns_.at_least(size);
    double* values = values_.at_least(size);
    Index before = 0;
    for (const RowRange& range : ranges) {
      const Index count = range.last - range.first;
      const auto blocks = static_cast<unsigned>(std::min(kMostBlocks, count / kThreads + 1));
      shift_offsets<<<blocks, kThreads, 0, device_offsets_.backend().device().stream()>>>(
          device_offsets_.data() + range.first, count, before, offsets + range.place);
      base::cuda::check_launch("shift_offsets");
      feed_.write(range.first, range.last, offsets + range.place, before, columns, values);
      before += elements_between(range.first, range.last);
    }
  }

  const RowFeed& feed_;
  std::span<const Index> all_offsets_;
  base::Array<Index> device_offsets_;
  Index elements_;
  GrowingArray<Index> offsets_;
  GrowingArray<Column> columns_;
  GrowingArray<double> values_;
  std::vector<RowRange> ranges_;
};

}  // namespace cisolve::sparse::cuda
