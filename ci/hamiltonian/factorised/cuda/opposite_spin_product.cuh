#pragma once

#include "base/block.hpp"
#include "base/cuda/fragments.cuh"
#include "ci/hamiltonian/factorised/cuda/opposite_spin_shape.hpp"
#include "ci/hamiltonian/factorised/opposite_spin_view.hpp"

// Opposite-spin part, sigma_mixed (sigma_3): a thread block computes the rows of one alpha string.
namespace cisolve::ci::cuda {

using base::cuda::copy_later;
using base::cuda::copy_sixteen_later;
using base::cuda::end_group_of_copies;
using base::cuda::multiply_add;
using base::cuda::wait_for_copies;

/// kSourceSteps: steps of eight sources, the depth of multiply_add(). A warp holds the weights of
/// 16 rows of g in registers for all chunks of a group and computes these rows of each chunk on
/// tensor cores; then all warps scatter g to the sums.
template <int kSourceSteps, bool kSumsInShared, int kWarps>
class OppositeSpinProduct {
 public:
  /// `y`: the rows of the alpha string.
  __device__ OppositeSpinProduct(const OppositeSpinView& c, const OppositeSpinShape& shape,
                                 Index alpha, bool by_half, const double* x, double* y,
                                 double* shared)
      : c_(c),
        shape_(shape),
        alpha_(alpha),
        by_half_(by_half),
        x_(x),
        y_(y),
        columns_(shared),
        g_(shared + shape.before_g()),
        sources_(reinterpret_cast<OppositeSpinView::Source*>(shared + shape.before_sources())),
        words_(reinterpret_cast<std::uint32_t*>(shared + shape.before_words())),
        sums_(kSumsInShared ? shared + shape.before_sums() : y_),
        size_(static_cast<int>(c.first_row[alpha + 1] - c.first_row[alpha])),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void run() {
    if (threadIdx.x == 0) g_[kChunk] = 0;
    if (kSumsInShared)
      for (int i = static_cast<int>(threadIdx.x); i < size_; i += 32 * kWarps) sums_[i] = 0;
    for (Index g = c_.first_group[alpha_]; g < c_.first_group[alpha_ + 1]; ++g)
      add_group(c_.groups[g]);
    __syncthreads();
    if (kSumsInShared)
      for (int i = static_cast<int>(threadIdx.x); i < size_; i += 32 * kWarps) y_[i] += sums_[i];
  }

 private:
  static constexpr bool kAhead = OppositeSpinShape::has_copier_warps(kWarps);
  static constexpr int kCopying = kAhead ? kCopiers : kWarps;  // the last warps
  static constexpr int kMostOfCopier = (8 * kSourceSteps + kCopying - 1) / kCopying;
  static constexpr int kMaking = kAhead ? kWarps - kCopiers : kWarps;

  __device__ void add_group(const OppositeSpinView::Group& group) {
    const OppositeSpinView::Table table = c_.tables[group.table];
    count_ = group.sources;
    table_columns_ = static_cast<int>(table.columns);
    first_chunk_ = table.first_chunk;
    last_chunk_ = first_chunk_ + (table.columns + kChunk - 1) / kChunk;
    next_word_ = c_.chunks[first_chunk_];
    end_word_ = c_.chunks[first_chunk_ + 1];
    passed_ = 0;
    divide(table.rows);
    load_weights(group, table);
    place_sources(group);
    locate_sources();
    const Index reach = by_half_ ? sources_[count_ - 1].reach() : table.columns;
    const int chunks = static_cast<int>((reach + kChunk - 1) / kChunk);
    if (chunks > 0) fetch(0);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      wait_for_copies<0>();
      __syncthreads();
      make_rows(chunk);
      if (!kAhead) __syncthreads();
      if (chunk + 1 < chunks) fetch(chunk + 1);
      if (kAhead) __syncthreads();
      add_moves(ScatterChunk(words_of(chunk)));
    }
    __syncthreads();
  }

  /// Distributes rows of g over warps; if there are few, warps divide the columns.
  __device__ void divide(int rows) {
    const int tiles = (rows + 15) / 16;
    int helpers = 1;
    while (helpers < 8 && 2 * helpers * tiles <= kMaking) helpers *= 2;
    row_ = warp_ % tiles * 16;
    column_tiles_ = warp_ / tiles < helpers ? 8 / helpers : 0;
    column_ = warp_ / tiles * column_tiles_ * 8;
  }

  __device__ void load_weights(const OppositeSpinView::Group& group,
                               const OppositeSpinView::Table& table) {
    const OppositeSpinView::Source* sources = c_.sources + group.first_source;
    const auto weight = [&](int row, int k) {
      if (row >= table.rows || k >= count_) return 0.0;
      return c_.weight(alpha_, sources[k], c_.rows[table.first_row + row]);
    };
#pragma unroll
    for (int step = 0; step < kSourceSteps; ++step) {
      if (8 * step >= count_ || column_tiles_ == 0) break;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        weights_[step][i] = weight(row_ + lane_ / 4 + i % 2 * 8, 8 * step + lane_ % 4 + i / 2 * 4);
    }
  }

  /// Copies the sources while no warp computes g; sources that pad the last eight have columns of
  /// 0.
  __device__ void place_sources(const OppositeSpinView::Group& group) {
    const OppositeSpinView::Source* sources = c_.sources + group.first_source;
    for (int k = static_cast<int>(threadIdx.x); k < count_; k += 32 * kWarps)
      sources_[k] = sources[k];
    const int end = (count_ + 7) / 8 * 8;
    for (int chunk = 0; chunk < (kAhead ? 2 : 1); ++chunk)
      for (int i = count_ * kChunk + static_cast<int>(threadIdx.x); i < end * kChunk;
           i += 32 * kWarps)
        columns_of(chunk)[i / kChunk * OppositeSpinShape::kSourceStride + i % kChunk] = 0;
    __syncthreads();
  }

  /// Skips steps whose eight sources do not reach the chunk: reach ascends, as do chunks.
  __device__ void pass_sources(int chunk) {
    if (by_half_)
      while (sources_[min(8 * passed_ + 7, count_ - 1)].reach() <= chunk * kChunk) ++passed_;
  }

  __device__ int copier() const { return warp_ - (kWarps - kCopying); }  // below 0: no copier

  /// Each lane of a copier keeps one source: its address, and the columns that can be copied whole.
  __device__ void locate_sources() {
    if (copier() < 0) return;
    const int k = copier() + lane_ * kCopying;
    mine_ = nullptr;
    whole_ = 0;
    if (k >= count_) return;
    mine_ = x_ + sources_[k].first;
    if (reinterpret_cast<std::uintptr_t>(mine_) % 16 == 0) whole_ = columns_of_source(sources_[k]);
  }

  __device__ int columns_of_source(const OppositeSpinView::Source& source) const {
    return static_cast<int>(by_half_ ? source.whole() : table_columns_);
  }

  __device__ void fetch(int chunk) {
    if (copier() < 0) return;
    const int begin = chunk * kChunk;
    pass_sources(chunk);
    const int k = copier() + lane_ * kCopying;
    const bool is_there = k >= 8 * passed_ && k < count_;
    const unsigned whole = __ballot_sync(~0U, is_there && begin + kChunk <= whole_);
    double* to = columns_of(chunk) + copier() * OppositeSpinShape::kSourceStride + 2 * lane_;
#pragma unroll
    for (int i = 0; i < kMostOfCopier; ++i) {
      const auto mine = reinterpret_cast<std::uintptr_t>(mine_);
      const auto* from = reinterpret_cast<const double*>(__shfl_sync(~0U, mine, i));
      if ((whole >> i & 1) != 0)
        copy_sixteen_later(to + i * kCopying * OppositeSpinShape::kSourceStride,
                           from + begin + 2 * lane_);
    }
    unsigned rest = __ballot_sync(~0U, is_there) & ~whole;
    for (; rest != 0; rest &= rest - 1)
      copy_part(copier() + (__ffs(static_cast<int>(rest)) - 1) * kCopying, chunk);
    fetch_words(chunk);
    end_group_of_copies();
  }

  /// A source that ends in the chunk or before it, or is not aligned to 16 bytes.
  __device__ void copy_part(int k, int chunk) {
    const OppositeSpinView::Source source = sources_[k];
    const int columns = columns_of_source(source) - chunk * kChunk;
    const double* from = x_ + source.first + chunk * kChunk;
    double* to = columns_of(chunk) + k * OppositeSpinShape::kSourceStride;
#pragma unroll
    for (int column = lane_; column < kChunk; column += 32) {
      const bool is_there = column < columns;
      if (by_half_ && column == columns && source.reach() > source.whole())
        to[column] = from[column] / 2;
      else
        copy_later(to + column, is_there ? from + column : x_, is_there);
    }
  }

  __device__ void fetch_words(int chunk) {
    const auto words = static_cast<int>(end_word_ - next_word_);
    const std::uint32_t* from = c_.words + next_word_;
    std::uint32_t* to = words_of(chunk);
    for (int i = 4 * (32 * copier() + lane_); i < words; i += 4 * 32 * kCopying)
      copy_sixteen_later(to + i, from + i);
    next_word_ = end_word_;
    end_word_ = c_.chunks[min(first_chunk_ + chunk + 2, last_chunk_)];
  }

  __device__ void make_rows(int chunk) {
    if (column_tiles_ == 0) return;
    pass_sources(chunk);
    const double* columns = columns_of(chunk);
    if (column_tiles_ == 8) make_tiles<8>(columns);
    if (column_tiles_ == 4) make_tiles<4>(columns);
    if (column_tiles_ == 2) make_tiles<2>(columns);
    if (column_tiles_ == 1) make_tiles<1>(columns);
  }

  template <int kTiles>
  __device__ void make_tiles(const double* columns) {
    double sums[kTiles][4] = {};
    const double* b = columns + lane_ % 4 * OppositeSpinShape::kSourceStride + column_ + lane_ / 4;
#pragma unroll
    for (int step = 0; step < kSourceSteps; ++step) {
      if (8 * step >= count_) break;
      if (step >= passed_)
#pragma unroll
        for (int n = 0; n < kTiles; ++n)
          multiply_add(sums[n], weights_[step][0], weights_[step][1], weights_[step][2],
                       weights_[step][3], b[8 * n],
                       b[4 * OppositeSpinShape::kSourceStride + 8 * n]);
      b += 8 * OppositeSpinShape::kSourceStride;
    }
    double* to = g_ + (row_ + lane_ / 4) * kRowStride + column_ + lane_ % 4 * 2;
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
      *reinterpret_cast<double2*>(to + 8 * n) = {sums[n][0], sums[n][1]};
      *reinterpret_cast<double2*>(to + 8 * kRowStride + 8 * n) = {sums[n][2], sums[n][3]};
    }
  }

  /// A warp processes two slices at once, to hide latency.
  __device__ void add_moves(const ScatterChunk& moves) {
    for (int slice = warp_; slice < moves.slices(); slice += 2 * kWarps) {
      const int next = slice + kWarps;
      const bool has_next = next < moves.slices();
      const ScatterTarget first = moves.head(slice, lane_);
      const ScatterTarget second = moves.head(has_next ? next : slice, lane_);
      // Each target occurs once in a chunk, so its sum may be read long before it is added to; the
      // sum of the dummy target, which may occur often, is never used.
      const double had_one = sum_of(first.target());
      const double had_two = sum_of(second.target());
      double one = element(first.move());
      double two = element(second.move());
      int k = slice < moves.deep() ? moves.begin(slice) : 0;
      const int end = slice < moves.deep() ? moves.end(slice) : 0;
      if (next < moves.deep())  // a later slice has at most as many further entries
        for (int l = moves.begin(next); l < moves.end(next); ++k, ++l) {
          one += element(moves.other(k, lane_));
          two += element(moves.other(l, lane_));
        }
      for (; k < end; ++k) one += element(moves.other(k, lane_));
      put(first.target(), had_one + one);
      if (has_next) put(second.target(), had_two + two);
    }
  }

  __device__ double element(ScatterEntry move) const {
    const double value = g_[move.place()];
    const int sign = static_cast<int>(std::uint32_t{move.code} << 31);
    return __hiloint2double(__double2hiint(value) ^ sign, __double2loint(value));
  }

  // In shared memory there is one more sum, the dummy target's.
  __device__ double sum_of(int target) const {
    return kSumsInShared || target < size_ ? sums_[target] : 0;
  }
  __device__ void put(int target, double sum) {
    if (kSumsInShared || target < size_) sums_[target] = sum;
  }

  __device__ double* columns_of(int chunk) const {
    return columns_ + (kAhead ? chunk % 2 * shape_.columns_size() : 0);
  }
  __device__ std::uint32_t* words_of(int chunk) const { return words_ + chunk % 2 * shape_.words; }

  const OppositeSpinView& c_;
  const OppositeSpinShape& shape_;
  const Index alpha_;
  const bool by_half_;
  const double* const x_;
  double* const y_;        // rows of the alpha string
  double* const columns_;  // sources x kSourceStride; two chunks with copier warps
  double* const g_;        // rows x kRowStride
  OppositeSpinView::Source* const sources_;
  std::uint32_t* const words_;
  double* const sums_;  // includes the dummy target's sum if in shared memory
  const int size_;      // rows
  const int warp_;
  const int lane_;
  int count_ = 0;          // sources of the group
  int passed_ = 0;         // steps whose sources reach no later chunk
  int table_columns_ = 0;  // strings of the source list
  Index first_chunk_ = 0;
  Index last_chunk_ = 0;
  Index next_word_ = 0;           // first word of the chunk fetched next
  Index end_word_ = 0;            // end of that chunk
  const double* mine_ = nullptr;  // copier lane: its source
  int whole_ = 0;                 // columns of it that are copied by whole chunks
  int row_ = 0;                   // first row of g of this warp
  int column_ = 0;
  int column_tiles_ = 0;  // tiles of eight columns; 0: none for this warp
  double weights_[kSourceSteps][4] = {};
};

template <int kSourceSteps, bool kSumsInShared, int kWarps, int kBlocks>
__global__ void __launch_bounds__(32 * kWarps, kBlocks)
    opposite_spin_product(const OppositeSpinView c, const OppositeSpinShape shape,
                          const OwnString* strings, bool by_half, base::ConstBlock x,
                          base::Block y) {
  extern __shared__ __align__(16) double shared_memory[];
  const int j = static_cast<int>(blockIdx.y);
  const OwnString own = strings[blockIdx.x];
  OppositeSpinProduct<kSourceSteps, kSumsInShared, kWarps>(
      c, shape, own.alpha, by_half, x.column(j), y.column(j) + own.place, shared_memory)
      .run();
}

}  // namespace cisolve::ci::cuda
