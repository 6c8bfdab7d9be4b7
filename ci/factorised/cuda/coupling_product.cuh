#pragma once

#include "base/block.hpp"
#include "ci/factorised/couplings_view.hpp"
#include "ci/factorised/cuda/fragments.cuh"

// What electrons of both spins do together: the rows of one alpha string for each block of threads.
namespace cisolve::ci::cuda {

/// How a block's shared memory is divided: columns of sources, rows of g, moves of two chunks, and
/// sums of the alpha string's rows unless these stand in y itself.
struct CouplingShape {
  static constexpr int kSourceStride = kChunk + 4;  // so that no two lanes of a half warp collide

  int warps;
  int sources;  // of any group, a multiple of eight
  int rows;     // of any table, a multiple of sixteen
  int words;    // of the moves of any chunk
  Index sums;   // 0: in y

  /// Of so many doubles.
  CISOLVE_HOST_DEVICE Index before_words() const {
    return Index{sources} * kSourceStride + Index{rows} * kRowStride;
  }
  CISOLVE_HOST_DEVICE Index before_sums() const { return before_words() + words; }
  Index bytes() const { return (before_sums() + sums) * Index{sizeof(double)}; }
};

/// kPairs: of steps of four sources. A warp holds the weights of 16 rows of g in its registers for
/// all chunks of a group, and makes these rows of each chunk by tensor cores; then all warps add
/// what beta strings make of g.
template <int kPairs>
class CouplingProduct {
 public:
  __device__ CouplingProduct(const CouplingsView& c, const CouplingShape& shape, Index alpha,
                             const double* x, double* y, double* shared)
      : c_(c),
        shape_(shape),
        alpha_(alpha),
        x_(x),
        y_(y + c.first_row[alpha]),
        columns_(shared),
        g_(shared + shape.sources * CouplingShape::kSourceStride),
        words_(reinterpret_cast<std::int32_t*>(shared + shape.before_words())),
        sums_(shape.sums == 0 ? y_ : shared + shape.before_sums()),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void run() {
    const Index size = c_.first_row[alpha_ + 1] - c_.first_row[alpha_];
    if (threadIdx.x == 0) g_[kChunk] = 0;
    if (sums_ != y_)
      for (Index i = threadIdx.x; i < size; i += blockDim.x) sums_[i] = 0;
    for (Index g = c_.first_group[alpha_]; g < c_.first_group[alpha_ + 1]; ++g)
      add_group(c_.groups[g]);
    __syncthreads();
    if (sums_ != y_)
      for (Index i = threadIdx.x; i < size; i += blockDim.x) y_[i] += sums_[i];
  }

 private:
  __device__ void add_group(const CouplingsView::Group& group) {
    const CouplingsView::Table table = c_.tables[group.table];
    divide(table.rows);
    take_weights(group, table);
    const int chunks = static_cast<int>((table.columns + kChunk - 1) / kChunk);
    fetch(group, table, 0);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      wait_for_copies<0>();
      __syncthreads();
      make_rows(group);
      __syncthreads();
      if (chunk + 1 < chunks) fetch(group, table, chunk + 1);
      add_moves(ChunkMoves(words_of(chunk)));
    }
  }

  /// Rows of g among warps; where there are few, warps share the columns.
  __device__ void divide(int rows) {
    const int tiles = (rows + 15) / 16;
    int shares = 1;
    while (shares < 8 && 2 * shares * tiles <= shape_.warps) shares *= 2;
    row_ = warp_ % tiles * 16;
    column_tiles_ = warp_ / tiles < shares ? 8 / shares : 0;
    column_ = warp_ / tiles * column_tiles_ * 8;
  }

  __device__ void take_weights(const CouplingsView::Group& group,
                               const CouplingsView::Table& table) {
    const CouplingsView::Source* sources = c_.sources + group.first_source;
    const auto weight = [&](int row, int k) {
      if (row >= table.rows || k >= group.sources) return 0.0;
      return c_.weight(alpha_, sources[k], c_.rows[table.first_row + row]);
    };
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      if (8 * pair >= group.sources || column_tiles_ == 0) break;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        weights_[pair][i] = weight(row_ + lane_ / 4 + i % 2 * 8, 8 * pair + lane_ % 4 + i / 2 * 4);
    }
  }

  __device__ void fetch(const CouplingsView::Group& group, const CouplingsView::Table& table,
                        int chunk) {
    const CouplingsView::Source* sources = c_.sources + group.first_source;
    const Index left = table.columns - Index{chunk} * kChunk;
    for (int k = warp_; k < (group.sources + 7) / 8 * 8; k += shape_.warps) {
      const bool is_source = k < group.sources;
      const double* from = x_ + (is_source ? sources[k].first + Index{chunk} * kChunk : 0);
      double* to = columns_ + k * CouplingShape::kSourceStride;
#pragma unroll
      for (int column = lane_; column < kChunk; column += 32) {
        const bool is_there = is_source && column < left;
        copy_later(to + column, is_there ? from + column : x_, is_there);
      }
    }
    const Index first = c_.chunks[table.first_chunk + chunk];
    const auto words = static_cast<int>(c_.chunks[table.first_chunk + chunk + 1] - first);
    for (int i = 4 * static_cast<int>(threadIdx.x); i < words; i += 4 * blockDim.x)
      copy_sixteen_later(words_of(chunk) + i, c_.words + first + i);
    end_group_of_copies();
  }

  __device__ void make_rows(const CouplingsView::Group& group) {
    if (column_tiles_ == 0) return;
    double sums[8][4] = {};
    const double* b = columns_ + lane_ % 4 * CouplingShape::kSourceStride + column_ + lane_ / 4;
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      if (8 * pair >= group.sources) break;
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        if (n >= column_tiles_) break;
        multiply_add(sums[n], weights_[pair][0], weights_[pair][1], weights_[pair][2],
                     weights_[pair][3], b[8 * n], b[4 * CouplingShape::kSourceStride + 8 * n]);
      }
      b += 8 * CouplingShape::kSourceStride;
    }
    double* to = g_ + (row_ + lane_ / 4) * kRowStride + column_ + lane_ % 4 * 2;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      if (n >= column_tiles_) break;
      *reinterpret_cast<double2*>(to + 8 * n) = {sums[n][0], sums[n][1]};
      *reinterpret_cast<double2*>(to + 8 * kRowStride + 8 * n) = {sums[n][2], sums[n][3]};
    }
  }

  __device__ void add_moves(const ChunkMoves& moves) {
    for (int slice = warp_; slice < moves.slices(); slice += shape_.warps) {
      const int end = moves.end(slice);
      double sum = 0;
#pragma unroll 4
      for (int k = moves.begin(slice); k < end; ++k) {
        const ChunkMove move = moves.move(k, lane_);
        const double value = g_[move.place()];
        sum += move.is_odd() ? -value : value;
      }
      const Column target = moves.target(slice, lane_);
      if (target >= 0) sums_[target] += sum;
    }
  }

  __device__ std::int32_t* words_of(int chunk) const { return words_ + chunk % 2 * shape_.words; }

  const CouplingsView& c_;
  const CouplingShape& shape_;
  const Index alpha_;
  const double* const x_;
  double* const y_;        // of the alpha string
  double* const columns_;  // sources x kChunk
  double* const g_;        // rows x kChunk
  std::int32_t* const words_;
  double* const sums_;
  const int warp_;
  const int lane_;
  int row_ = 0;  // of g, the warp's first
  int column_ = 0;
  int column_tiles_ = 0;  // of eight columns; 0: none are left for this warp
  double weights_[kPairs][4] = {};
};

template <int kPairs, int kWarps, int kBlocks>
__global__ void __launch_bounds__(32 * kWarps, kBlocks)
    coupling_product(const CouplingsView c, const CouplingShape shape, const Column* order,
                     base::ConstBlock x, base::Block y) {
  extern __shared__ __align__(16) double room[];
  const int j = static_cast<int>(blockIdx.y);
  CouplingProduct<kPairs>(c, shape, order[blockIdx.x], x.column(j), y.column(j), room).run();
}

}  // namespace cisolve::ci::cuda
