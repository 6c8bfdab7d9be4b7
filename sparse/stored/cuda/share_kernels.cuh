#pragma once

#include "sparse/stored/cuda/row_kernels.cuh"
#include "sparse/stored/cuda/share_lots.cuh"

// CSR by segments of nearly equal size (csr_segments.hpp): a thread block reads the elements of its
// segment contiguously, whatever their rows, keeps the products in shared memory and sums each row
// from there. The order of every sum depends on the matrix alone.
namespace cisolve::sparse::cuda {

constexpr int kShareThreads = 256;
constexpr int kShareAtOnce = 4;  // elements that a thread loads at once

/// The product of one segment.
template <int Width>
class ShareBlock {
  using Value = typename Lot<Width>::Value;
  static constexpr int kLots = Lot<Width>::kCount;
  static constexpr int kVectors = Width / kLots;       // per lane of an element
  static constexpr int kStep = kShareThreads / kLots;  // elements read by all threads at once
  static constexpr int kChunk =
      kStep * kShareAtOnce;                 // elements whose products fit into shared memory
  static constexpr int kManyElements = 16;  // limit for summation by one thread
  static constexpr bool kWhole = kChunk >= kShareElements;

 public:
  struct Shared {
    Value products[kChunk * kLots];
    std::uint16_t starts[kShareRows + 1];
    Value carried[kLots];  // partial sum of the first unfinished row
    int unfinished;
  };

  __device__ ShareBlock(const RowProduct<CsrView>& p, Shared& shared)
      : p_(p),
        shared_(shared),
        here_(p.a.shares.share[blockIdx.x]),
        thread_(static_cast<int>(threadIdx.x)),
        slot_(thread_ / kLots),
        lot_(thread_ % kLots) {
    const RowShare& next = p.a.shares.share[blockIdx.x + 1];
    const Index base = here_.first / kShareAlignment * kShareAlignment;
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
    Value products[kShareAtOnce];
    fetch(0, products);
    keep_starts(start);
    choose_lanes();
    for (int chunk = 0; chunk == 0 || chunk < end_; chunk += kChunk) {
      if (chunk > 0) fetch(chunk, products);
#pragma unroll
      for (int i = 0; i < kShareAtOnce; ++i)
        shared_.products[thread_ + i * kShareThreads] = products[i];
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
    for (int row = thread_ + kShareThreads; row <= rows_; row += kShareThreads)
      shared_.starts[row] = static_cast<std::uint16_t>(start_of(row));
    if (kWhole) return;
    if (thread_ < kLots) shared_.carried[thread_] = Value{};
    if (thread_ == 0) shared_.unfinished = 0;
  }

  /// Products of a chunk; zero outside the segment.
  __device__ void fetch(int chunk, Value (&products)[kShareAtOnce]) const {
    Column column[kShareAtOnce];
    double value[kShareAtOnce];
#pragma unroll
    for (int i = 0; i < kShareAtOnce; ++i) {
      const int k = chunk + slot_ + i * kStep;
      column[i] = k >= begin_ && k < end_ ? __ldcs(columns_ + k) : -1;
    }
#pragma unroll
    for (int i = 0; i < kShareAtOnce; ++i) {
      const int k = chunk + slot_ + i * kStep;
      value[i] = k >= begin_ && k < end_ ? __ldcs(values_ + k) : 0;
    }
    const auto* x = reinterpret_cast<const Value*>(p_.x);
#pragma unroll
    for (int i = 0; i < kShareAtOnce; ++i)
      products[i] =
          column[i] < 0 ? Value{} : times(value[i], __ldg(x + Index{column[i]} * kLots + lot_));
  }

  /// Number of threads per row: few for short rows, and fewer for even ones.
  __device__ void choose_lanes() {
    const int most_elements = p_.a.shares.even ? 8 : 4;
    while (lanes_ * kLots < 32 && (2 * lanes_ * kLots * rows_ <= kShareThreads ||
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
      carried = shared_.carried[lot_];
      __syncthreads();  // before they are overwritten
    }
    const int group = lanes_ * kLots;
    const int lane = thread_ % group / kLots;
    for (int base = first; base < rows_; base += kShareThreads / group) {
      if (!last && shared_.starts[base] >= end) break;
      const int row = base + thread_ / group;
      const bool mine = row < rows_ && (last || shared_.starts[row] < end);
      const bool many =
          mine && shared_.starts[row + 1] - shared_.starts[row] > kManyElements * lanes_;
      Value sum{};
      if (mine && !many) sum = sum_of(row, chunk, end, lane, lanes_);
      for (int distance = group / 2; distance >= kLots; distance /= 2)
        add_to(sum, from_above(sum, distance, group));
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
      Value whole = sum_of(its, chunk, end, lane / kLots, 32 / kLots);
#pragma unroll
      for (int distance = 16; distance >= kLots; distance /= 2)
        add_to(whole, from_above(whole, distance, 32));
      whole = from_lane(whole, lot_);
      if (row == its) sum = whole;
    }
  }

  __device__ Value sum_of(int row, int chunk, int end, int lane, int lanes) const {
    const int stop = min(int{shared_.starts[row + 1]}, end) - chunk;
    Value sum{};
#pragma unroll 4
    for (int k = max(int{shared_.starts[row]}, chunk) - chunk + lane; k < stop; k += lanes)
      add_to(sum, shared_.products[k * kLots + lot_]);
    return sum;
  }

  /// Exactly one row holds the last element of a chunk; the next chunk continues with it or after
  /// it.
  __device__ void finish(int row, const Value& sum, int end, bool last) {
    const int stop = shared_.starts[row + 1];
    if (last || stop <= end) {
#pragma unroll
      for (int j = 0; j < kVectors; ++j)
        write_result(p_.alpha, of_lot(sum, j), p_.beta, p_.y(here_.row + row, lot_ * kVectors + j));
    }
    if (last || stop < end) return;
    shared_.carried[lot_] = stop > end ? sum : Value{};
    if (lot_ == 0) shared_.unfinished = stop > end ? row : row + 1;
  }

  /// All threads sum the elements of one row.
  __device__ void add_part(double* part) {
    Value sum{};
    for (int chunk = 0; chunk < end_; chunk += kChunk) {
      Value products[kShareAtOnce];
      fetch(chunk, products);
#pragma unroll
      for (int i = 0; i < kShareAtOnce; ++i) add_to(sum, products[i]);
    }
#pragma unroll
    for (int distance = 16; distance >= kLots; distance /= 2)
      add_to(sum, from_above(sum, distance, 32));
    const int lane = thread_ % 32;
    if (lane < kLots) shared_.products[thread_ / 32 * kLots + lane] = sum;
    __syncthreads();
    if (thread_ >= kLots) return;
    Value total{};
    for (int warp = 0; warp < kShareThreads / 32; ++warp)
      add_to(total, shared_.products[warp * kLots + thread_]);
#pragma unroll
    for (int j = 0; j < kVectors; ++j) part[thread_ * kVectors + j] = of_lot(total, j);
  }

  const RowProduct<CsrView>& p_;
  Shared& shared_;
  RowShare here_;
  const Column* columns_;
  const double* values_;
  int begin_;  // of the elements, relative to the aligned one
  int end_;
  int rows_;
  int thread_;
  int slot_;  // which of the elements read at once
  int lot_;
  int lanes_ = 1;
};

/// Blocks per multiprocessor, chosen to hide latency.
template <int Width>
constexpr int kShareBlocks = Width == 1   ? 8
                             : Width == 2 ? 5
                                          : 4;

template <int Width>
__global__ void __launch_bounds__(kShareThreads, kShareBlocks<Width>)
    share_product(const RowProduct<CsrView> p, double* parts) {
  __shared__ typename ShareBlock<Width>::Shared shared;
  ShareBlock<Width>(p, shared).run(parts);
}

}  // namespace cisolve::sparse::cuda
