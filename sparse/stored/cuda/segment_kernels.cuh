#pragma once

#include "sparse/stored/cuda/lane_vectors.cuh"
#include "sparse/stored/cuda/row_kernels.cuh"

// CSR by segments of nearly equal size (csr_segments.hpp): a thread block reads the elements of its
// segment contiguously, whatever their rows, keeps the products in shared memory and sums each row
// from there. The order of every sum depends on the matrix alone.
namespace cisolve::sparse::cuda {

constexpr int kSegmentThreads = 256;
constexpr int kSegmentAtOnce = 4;  // elements that a thread loads at once

/// The product of one segment.
template <int Width>
class SegmentBlock {
  using Value = typename LaneVectors<Width>::Value;
  static constexpr int kLanesOfElement = LaneVectors<Width>::kCount;
  static constexpr int kVectors = Width / kLanesOfElement;  // vectors per lane of an element
  static constexpr int kStep =
      kSegmentThreads / kLanesOfElement;  // elements read by all threads at once
  static constexpr int kChunk =
      kStep * kSegmentAtOnce;               // elements whose products fit into shared memory
  static constexpr int kManyElements = 16;  // limit for summation by one thread
  static constexpr bool kWhole = kChunk >= kSegmentElements;

 public:
  struct Shared {
    Value products[kChunk * kLanesOfElement];
    std::uint16_t starts[kSegmentRows + 1];
    Value carried[kLanesOfElement];  // partial sum of the first unfinished row
    int unfinished;
  };

  __device__ SegmentBlock(const RowProduct<CsrView>& p, Shared& shared)
      : p_(p),
        shared_(shared),
        here_(p.a.segments.segment[blockIdx.x]),
        thread_(static_cast<int>(threadIdx.x)),
        slot_(thread_ / kLanesOfElement),
        lane_of_element_(thread_ % kLanesOfElement) {
    const RowSegment& next = p.a.segments.segment[blockIdx.x + 1];
    const Index base = here_.first / kSegmentAlignment * kSegmentAlignment;
    columns_ = p.a.column + base;
    values_ = p.a.value + base;
    begin_ = static_cast<int>(here_.first - base);
    end_ = static_cast<int>(next.first - base);
    rows_ = next.row - here_.row;
  }

  __device__ void run(double* parts) {
    if (here_.part >= 0) return add_part(parts + Index{here_.part} * Width);
    const int start =
        thread_ <= rows_ ? start_of(thread_) : 0;  // loaded concurrently with the elements
    Value products[kSegmentAtOnce];
    fetch(0, products);
    keep_starts(start);
    choose_lanes();
    for (int chunk = 0; chunk == 0 || chunk < end_; chunk += kChunk) {
      if (chunk > 0) fetch(chunk, products);
#pragma unroll
      for (int i = 0; i < kSegmentAtOnce; ++i)
        shared_.products[thread_ + i * kSegmentThreads] = products[i];
      __syncthreads();
      add_rows(chunk);
    }
  }

 private:
  __device__ int start_of(int row) const {
    return static_cast<int>(p_.a.offsets[here_.row + row] - here_.first) + begin_;
  }

  __device__ void keep_starts(int mine) {
    if (thread_ <= rows_) shared_.starts[thread_] = static_cast<std::uint16_t>(mine);
    for (int row = thread_ + kSegmentThreads; row <= rows_; row += kSegmentThreads)
      shared_.starts[row] = static_cast<std::uint16_t>(start_of(row));
    if (kWhole) return;
    if (thread_ < kLanesOfElement) shared_.carried[thread_] = Value{};
    if (thread_ == 0) shared_.unfinished = 0;
  }

  /// Products of a chunk; zero outside the segment.
  __device__ void fetch(int chunk, Value (&products)[kSegmentAtOnce]) const {
    Column column[kSegmentAtOnce];
    double value[kSegmentAtOnce];
#pragma unroll
    for (int i = 0; i < kSegmentAtOnce; ++i) {
      const int k = chunk + slot_ + i * kStep;
      column[i] = k >= begin_ && k < end_ ? __ldcs(columns_ + k) : -1;
    }
#pragma unroll
    for (int i = 0; i < kSegmentAtOnce; ++i) {
      const int k = chunk + slot_ + i * kStep;
      value[i] = k >= begin_ && k < end_ ? __ldcs(values_ + k) : 0;
    }
    const auto* x = reinterpret_cast<const Value*>(p_.x);
#pragma unroll
    for (int i = 0; i < kSegmentAtOnce; ++i)
      products[i] =
          column[i] < 0
              ? Value{}
              : times(value[i], __ldg(x + Index{column[i]} * kLanesOfElement + lane_of_element_));
  }

  /// Number of threads per row: few for short rows, and fewer for even ones.
  __device__ void choose_lanes() {
    const int most_elements = p_.a.segments.even ? 8 : 4;
    while (lanes_ * kLanesOfElement < 32 &&
           (2 * lanes_ * kLanesOfElement * rows_ <= kSegmentThreads ||
            most_elements * lanes_ * rows_ <= end_ - begin_))
      lanes_ *= 2;
  }

  __device__ void add_rows(int chunk) {
    const int end = min(chunk + kChunk, end_);
    const bool last = kWhole || end == end_;
    int first = 0;
    Value carried{};
    if constexpr (!kWhole) {
      first = shared_.unfinished;
      carried = shared_.carried[lane_of_element_];
      __syncthreads();  // all have read them before they are overwritten
    }
    const int group = lanes_ * kLanesOfElement;
    const int lane = thread_ % group / kLanesOfElement;
    for (int base = first; base < rows_; base += kSegmentThreads / group) {
      if (!last && shared_.starts[base] >= end) break;
      const int row = base + thread_ / group;
      const bool mine = row < rows_ && (last || shared_.starts[row] < end);
      const bool many =
          mine && shared_.starts[row + 1] - shared_.starts[row] > kManyElements * lanes_;
      Value sum{};
      if (mine && !many) sum = sum_of(row, chunk, end, lane, lanes_);
      for (int distance = group / 2; distance >= kLanesOfElement; distance /= 2)
        add_to(sum, shuffle_down(sum, distance, group));
      help(many && thread_ % group == 0, row, chunk, end, sum);
      if (!mine || lane > 0) continue;
      if constexpr (!kWhole)
        if (row == first) add_to(sum, carried);
      finish(row, sum, end, last);
    }
    if constexpr (!kWhole) __syncthreads();
  }

  /// The whole warp sums each row that is too long for its own threads.
  __device__ void help(bool wanted, int row, int chunk, int end, Value& sum) const {
    const int lane = thread_ % 32;
    for (unsigned left = __ballot_sync(0xffffffffU, wanted); left != 0; left &= left - 1) {
      const int its = __shfl_sync(0xffffffffU, row, __ffs(static_cast<int>(left)) - 1);
      Value whole = sum_of(its, chunk, end, lane / kLanesOfElement, 32 / kLanesOfElement);
#pragma unroll
      for (int distance = 16; distance >= kLanesOfElement; distance /= 2)
        add_to(whole, shuffle_down(whole, distance, 32));
      whole = shuffle(whole, lane_of_element_);
      if (row == its) sum = whole;
    }
  }

  __device__ Value sum_of(int row, int chunk, int end, int lane, int lanes) const {
    const int stop = min(int{shared_.starts[row + 1]}, end) - chunk;
    Value sum{};
#pragma unroll 4
    for (int k = max(int{shared_.starts[row]}, chunk) - chunk + lane; k < stop; k += lanes)
      add_to(sum, shared_.products[k * kLanesOfElement + lane_of_element_]);
    return sum;
  }

  /// Exactly one row holds the last element of a chunk; the next chunk continues with it or after
  /// it.
  __device__ void finish(int row, const Value& sum, int end, bool last) {
    const int stop = shared_.starts[row + 1];
    if (last || stop <= end) {
#pragma unroll
      for (int j = 0; j < kVectors; ++j)
        write_result(p_.alpha, component(sum, j), p_.beta,
                     p_.y(here_.row + row, lane_of_element_ * kVectors + j));
    }
    if (last || stop < end) return;
    shared_.carried[lane_of_element_] = stop > end ? sum : Value{};
    if (lane_of_element_ == 0) shared_.unfinished = stop > end ? row : row + 1;
  }

  /// All threads sum the elements of one row.
  __device__ void add_part(double* part) {
    Value sum{};
    for (int chunk = 0; chunk < end_; chunk += kChunk) {
      Value products[kSegmentAtOnce];
      fetch(chunk, products);
#pragma unroll
      for (int i = 0; i < kSegmentAtOnce; ++i) add_to(sum, products[i]);
    }
#pragma unroll
    for (int distance = 16; distance >= kLanesOfElement; distance /= 2)
      add_to(sum, shuffle_down(sum, distance, 32));
    const int lane = thread_ % 32;
    if (lane < kLanesOfElement) shared_.products[thread_ / 32 * kLanesOfElement + lane] = sum;
    __syncthreads();
    if (thread_ >= kLanesOfElement) return;
    Value total{};
    for (int warp = 0; warp < kSegmentThreads / 32; ++warp)
      add_to(total, shared_.products[warp * kLanesOfElement + thread_]);
#pragma unroll
    for (int j = 0; j < kVectors; ++j) part[thread_ * kVectors + j] = component(total, j);
  }

  const RowProduct<CsrView>& p_;
  Shared& shared_;
  RowSegment here_;
  const Column* columns_;
  const double* values_;
  int begin_;  // begin of the elements, relative to the aligned one
  int end_;
  int rows_;
  int thread_;
  int slot_;  // number of this element among those read at once
  int lane_of_element_;
  int lanes_ = 1;
};

/// Blocks per multiprocessor, chosen to hide latency.
template <int Width>
constexpr int kSegmentBlocks = Width == 1   ? 8
                               : Width == 2 ? 5
                                            : 4;

template <int Width>
__global__ void __launch_bounds__(kSegmentThreads, kSegmentBlocks<Width>)
    segment_product(const RowProduct<CsrView> p, double* parts) {
  __shared__ typename SegmentBlock<Width>::Shared shared;
  SegmentBlock<Width>(p, shared).run(parts);
}

}  // namespace cisolve::sparse::cuda
