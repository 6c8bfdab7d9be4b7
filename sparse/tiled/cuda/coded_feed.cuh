#pragma once

#include "sparse/rows/device_offsets.hpp"
#include "sparse/tiled/cuda/row_window.cuh"
#include "sparse/tiled/magnitude_codes.hpp"

// Division of rows between tiles of coded values and a tail.
namespace cisolve::sparse::cuda {

/// Calls take(k, number among elements of its kind, code) for the elements of a row, by all lanes
/// of a warp; the code is -1 if there is none. Returns the number of coded elements.
template <class Take>
__device__ Index for_each_coded(const WindowView& rows, Index row, const ValueCoder& coder,
                                Take&& take) {
  const int lane = lane_of_warp();
  const Index begin = rows.offsets[row];
  const Index end = rows.offsets[row + 1];
  Index coded = 0;
  for (Index first = begin; first < end; first += 32) {
    const Index k = first + lane;
    const int code = k < end ? coder.code_of(rows.values[k]) : -1;
    const unsigned all = __ballot_sync(kWholeWarp, code >= 0);
    const Index before = coded + __popc(all & ((1U << lane) - 1));
    if (k < end) take(k, code >= 0 ? before : k - begin - before, code);
    coded += __popc(all);
  }
  return coded;
}

/// One warp per row.
__global__ void count_coded(WindowView rows, Index count, const ValueCoder coder, Column* coded,
                            Column* others) {
  for (Index row = warp_in_grid(); row < count; row += Index{gridDim.x} * blockDim.x / 32) {
    const Index found = for_each_coded(rows, row, coder, [](Index, Index, int) {});
    if (lane_of_warp() != 0) continue;
    coded[row] = static_cast<Column>(found);
    others[row] = static_cast<Column>(rows.offsets[row + 1] - rows.offsets[row] - found);
  }
}

/// Destinations of coded elements and of the others.
struct DividedRows {
  const Index* coded_offsets;
  Column* coded_columns;
  double* coded_values;
  const Index* other_offsets;
  Column* other_columns;
  double* other_values;
};

/// One warp per row.
__global__ void divide_rows_by_code(WindowView rows, Index count, const ValueCoder coder,
                                    const DividedRows to) {
  for (Index row = warp_in_grid(); row < count; row += Index{gridDim.x} * blockDim.x / 32)
    for_each_coded(rows, row, coder, [&](Index k, Index place, int code) {
      if (code >= 0) {
        to.coded_columns[to.coded_offsets[row] + place] = rows.columns[k];
        to.coded_values[to.coded_offsets[row] + place] = code_as_value(static_cast<unsigned>(code));
      } else {
        to.other_columns[to.other_offsets[row] + place] = rows.columns[k];
        to.other_values[to.other_offsets[row] + place] = rows.values[k];
      }
    });
}

/// Feeds the coded elements of rows that another feed writes piece by piece. Other elements are
/// written directly to the tail, each time that their row is requested.
class CodedFeed final : public RowFeed {
 public:
  /// `offsets` are those of all rows, on host and device; `piece` is a number of elements.
  CodedFeed(const RowFeed& rows, std::span<const Index> offsets,
            const base::Array<Index>& device_offsets, const ValueCoder& coder, Index piece)
      : rows_(rows),
        offsets_(offsets),
        device_offsets_(device_offsets),
        coder_(coder),
        piece_(piece),
        piece_offsets_(device_offsets.backend(), "the offsets of rows that are divided"),
        columns_(device_offsets.backend(), "the columns of rows that are divided"),
        values_(device_offsets.backend(), "the values of rows that are divided") {}

  /// Counts the coded and the other elements of each row.
  void count(Column* coded, Column* others) const {
    for_each_piece(0, std::ssize(offsets_) - 1, [&](Index first, Index count, WindowView rows) {
      count_coded<<<grid(count), kThreadsOfPiece, 0, stream()>>>(rows, count, coder_, coded + first,
                                                                 others + first);
      base::cuda::check_launch("count_coded");
    });
  }

  /// Sets the tail for all following calls.
  void write_others_to(Csr& tail) { tail_ = &tail; }

  void write(Index first, Index last, const Index* offsets, Index /*before*/, Column* columns,
             double* values) const override {
    for_each_piece(first, last, [&](Index begin, Index count, WindowView rows) {
      divide_rows_by_code<<<grid(count), kThreadsOfPiece, 0, stream()>>>(
          rows, count, coder_,
          {offsets + (begin - first), columns, values, tail_->offsets.data() + begin,
           tail_->columns.data(), tail_->values.data()});
      base::cuda::check_launch("divide_rows_by_code");
    });
  }

 private:
  static constexpr unsigned kThreadsOfPiece = 256;

  static unsigned grid(Index rows) {
    constexpr Index kMostBlocks = 8192;
    return static_cast<unsigned>(std::clamp<Index>(rows / (kThreadsOfPiece / 32), 1, kMostBlocks));
  }
  cudaStream_t stream() const { return device_offsets_.backend().device().stream(); }

  /// Calls visit(first row, number of rows, rows) for pieces of the rows after writing them.
  template <class Visit>
  void for_each_piece(Index first, Index last, Visit&& visit) const {
    while (first < last) {
      const auto ends = offsets_.subspan(first + 1, last - first);
      const auto beyond = std::ranges::upper_bound(ends, offsets_[first] + piece_);
      const Index count = std::max<Index>(1, beyond - ends.begin());
      const Index size = offsets_[first + count] - offsets_[first];
      Index* offsets = piece_offsets_.at_least(count + 1);
      Column* columns = columns_.at_least(size);
      double* values = values_.at_least(size);
      shift_offsets<<<grid(count), kThreadsOfPiece, 0, stream()>>>(device_offsets_.data() + first,
                                                                   count, 0, offsets);
      base::cuda::check_launch("shift_offsets");
      rows_.write(first, first + count, offsets, 0, columns, values);
      visit(first, count, WindowView{offsets, columns, values});
      first += count;
    }
  }

  const RowFeed& rows_;
  std::span<const Index> offsets_;
  const base::Array<Index>& device_offsets_;
  ValueCoder coder_;
  Index piece_;
  Csr* tail_ = nullptr;
  mutable GrowingArray<Index> piece_offsets_;
  mutable GrowingArray<Column> columns_;
  mutable GrowingArray<double> values_;
};

}  // namespace cisolve::sparse::cuda
