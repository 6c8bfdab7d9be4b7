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
    return Index{sources} * (kSourceStride + 1) + Index{rows} * kRowStride;
  }
  CISOLVE_HOST_DEVICE Index before_sums() const { return before_words() + words; }
  Index bytes() const { return (before_sums() + sums) * Index{sizeof(double)}; }
};

/// kPairs: of steps of four sources. A warp holds the weights of 16 rows of g in its registers for
/// all chunks of a group, and makes these rows of each chunk by tensor cores; then all warps add
/// what beta strings make of g.
template <int kPairs, bool kSumsAtHand>
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
        sources_(reinterpret_cast<const double**>(g_ + shape.rows * kRowStride)),
        words_(reinterpret_cast<std::uint32_t*>(shared + shape.before_words())),
        sums_(kSumsAtHand ? shared + shape.before_sums() : y_),
        size_(static_cast<int>(c.first_row[alpha + 1] - c.first_row[alpha])),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void run() {
    if (threadIdx.x == 0) g_[kChunk] = 0;
    if (kSumsAtHand)
      for (int i = static_cast<int>(threadIdx.x); i < size_; i += blockDim.x) sums_[i] = 0;
    for (Index g = c_.first_group[alpha_]; g < c_.first_group[alpha_ + 1]; ++g)
      add_group(c_.groups[g]);
    __syncthreads();
    if (kSumsAtHand)
      for (int i = static_cast<int>(threadIdx.x); i < size_; i += blockDim.x) y_[i] += sums_[i];
  }

 private:
  __device__ void add_group(const CouplingsView::Group& group) {
    const CouplingsView::Table table = c_.tables[group.table];
    divide(table.rows);
    take_weights(group, table);
    place_sources(group);
    const int chunks = static_cast<int>((table.columns + kChunk - 1) / kChunk);
    fetch(group, table, 0);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      wait_for_copies<0>();
      __syncthreads();
      if (column_tiles_ == 8) make_rows<8>(group.sources);
      if (column_tiles_ == 4) make_rows<4>(group.sources);
      if (column_tiles_ == 2) make_rows<2>(group.sources);
      if (column_tiles_ == 1) make_rows<1>(group.sources);
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

  /// No row of g is made now; behind the sources, what fills up the last step is 0.
  __device__ void place_sources(const CouplingsView::Group& group) {
    const CouplingsView::Source* sources = c_.sources + group.first_source;
    for (int k = static_cast<int>(threadIdx.x); k < group.sources; k += blockDim.x)
      sources_[k] = x_ + sources[k].first;
    const int end = (group.sources + 7) / 8 * 8;
    for (int i = group.sources * kChunk + static_cast<int>(threadIdx.x); i < end * kChunk;
         i += blockDim.x)
      columns_[i / kChunk * CouplingShape::kSourceStride + i % kChunk] = 0;
    __syncthreads();
  }

  __device__ void fetch(const CouplingsView::Group& group, const CouplingsView::Table& table,
                        int chunk) {
    const Index begin = Index{chunk} * kChunk;
    const bool is_whole = begin + kChunk <= table.columns;
    for (int k = warp_; k < group.sources; k += shape_.warps) {
      const double* from = sources_[k] + begin;
      double* to = columns_ + k * CouplingShape::kSourceStride;
      if (is_whole && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
        copy_sixteen_later(to + 2 * lane_, from + 2 * lane_);
        continue;
      }
#pragma unroll
      for (int column = lane_; column < kChunk; column += 32) {
        const bool is_there = begin + column < table.columns;
        copy_later(to + column, is_there ? from + column : x_, is_there);
      }
    }
    const Index first = c_.chunks[table.first_chunk + chunk];
    const auto words = static_cast<int>(c_.chunks[table.first_chunk + chunk + 1] - first);
    const std::uint32_t* from = c_.words + first;
    std::uint32_t* to = words_of(chunk);
    for (int i = 4 * static_cast<int>(threadIdx.x); i < words; i += 4 * blockDim.x)
      copy_sixteen_later(to + i, from + i);
    end_group_of_copies();
  }

  template <int kTiles>
  __device__ void make_rows(int sources) {
    double sums[kTiles][4] = {};
    const double* b = columns_ + lane_ % 4 * CouplingShape::kSourceStride + column_ + lane_ / 4;
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      if (8 * pair >= sources) break;
#pragma unroll
      for (int n = 0; n < kTiles; ++n)
        multiply_add(sums[n], weights_[pair][0], weights_[pair][1], weights_[pair][2],
                     weights_[pair][3], b[8 * n], b[4 * CouplingShape::kSourceStride + 8 * n]);
      b += 8 * CouplingShape::kSourceStride;
    }
    double* to = g_ + (row_ + lane_ / 4) * kRowStride + column_ + lane_ % 4 * 2;
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
      *reinterpret_cast<double2*>(to + 8 * n) = {sums[n][0], sums[n][1]};
      *reinterpret_cast<double2*>(to + 8 * kRowStride + 8 * n) = {sums[n][2], sums[n][3]};
    }
  }

  /// Two slices of a warp at once, so that one waits less for the other.
  __device__ void add_moves(const ChunkMoves& moves) {
    for (int slice = warp_; slice < moves.slices(); slice += 2 * shape_.warps) {
      const int next = slice + shape_.warps;
      const bool has_next = next < moves.slices();
      const TargetMove first = moves.head(slice, lane_);
      const TargetMove second = moves.head(has_next ? next : slice, lane_);
      double one = element(first.move());
      double two = element(second.move());
      if (slice < moves.deep())
        for (int k = moves.begin(slice); k < moves.end(slice); ++k)
          one += element(moves.other(k, lane_));
      if (next < moves.deep())
        for (int k = moves.begin(next); k < moves.end(next); ++k)
          two += element(moves.other(k, lane_));
      add(first.target(), one);
      if (has_next) add(second.target(), two);
    }
  }

  __device__ double element(ChunkMove move) const {
    const double value = g_[move.place()];
    const int sign = static_cast<int>(std::uint32_t{move.code} << 31);
    return __hiloint2double(__double2hiint(value) ^ sign, __double2loint(value));
  }

  __device__ void add(int target, double value) {
    if (!kSumsAtHand && target >= size_) return;
    sums_[target] += value;
  }

  __device__ std::uint32_t* words_of(int chunk) const { return words_ + chunk % 2 * shape_.words; }

  const CouplingsView& c_;
  const CouplingShape& shape_;
  const Index alpha_;
  const double* const x_;
  double* const y_;               // of the alpha string
  double* const columns_;         // sources x kChunk
  double* const g_;               // rows x kChunk
  const double** const sources_;  // where x of each begins
  std::uint32_t* const words_;
  double* const sums_;  // one more where they are at hand: of what is no target
  const int size_;      // rows
  const int warp_;
  const int lane_;
  int row_ = 0;  // of g, the warp's first
  int column_ = 0;
  int column_tiles_ = 0;  // of eight columns; 0: none are left for this warp
  double weights_[kPairs][4] = {};
};

template <int kPairs, bool kSumsAtHand, int kWarps, int kBlocks>
__global__ void __launch_bounds__(32 * kWarps, kBlocks)
    coupling_product(const CouplingsView c, const CouplingShape shape, const Column* order,
                     base::ConstBlock x, base::Block y) {
  extern __shared__ __align__(16) double room[];
  const int j = static_cast<int>(blockIdx.y);
  CouplingProduct<kPairs, kSumsAtHand>(c, shape, order[blockIdx.x], x.column(j), y.column(j), room)
      .run();
}

}  // namespace cisolve::ci::cuda
