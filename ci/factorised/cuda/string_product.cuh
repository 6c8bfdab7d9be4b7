#pragma once

#include "base/block.hpp"
#include "ci/factorised/cuda/fragments.cuh"
#include "ci/factorised/string_tiles.hpp"

// What electrons of one spin do alone: a string matrix times a block of rows.
namespace cisolve::ci::cuda {

/// The rows of the alpha strings of a list as a matrix: the alpha strings in the order of their
/// string matrix, the beta strings in that of the list.
struct BlockOfRows {
  const Index* first_rows;  // of each alpha string
  const Index* places;      // of beta strings, in the order of their string matrix
  Index alphas;
  Index betas;
  base::ConstBlock x;
  base::Block y;
};

/// y = A x for alpha strings: the matrix takes from rows, each beta string is a column.
struct OverAlpha {
  BlockOfRows b;
  __device__ Index columns() const { return b.betas; }
  __device__ Index place(Index k, Index column) const { return b.first_rows[k] + column; }
  __device__ void put(Index place, int j, double sum) const { b.y(place, j) = sum; }
  /// What a column of the matrix adds to the place of what it multiplies.
  __device__ Index offset(Index k) const { return b.first_rows[k]; }

  /// Copies a warp's share of a stage, 32 rows by 128 columns from `begin` on: four rows.
  /// `offset` is that of row `lane`, -1 where there is none.
  __device__ void fetch(Index offset, Index begin, int j, int warp, int lane, double* stage,
                        int stride) const {
    const double* x = b.x.column(j) + begin;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = 4 * warp + i;
      const Index of_row = __shfl_sync(~0U, offset, row);
      const double* from = x + of_row;
#pragma unroll
      for (int column = lane; column < 128; column += 32) {
        const bool is_there = of_row >= 0 && begin + column < b.betas;
        copy_later(stage + row * stride + column, is_there ? from + column : b.x.data, is_there);
      }
    }
  }
};

/// y += A x for beta strings, each alpha string is a column.
struct OverBeta {
  BlockOfRows b;
  __device__ Index columns() const { return b.alphas; }
  __device__ Index place(Index k, Index column) const { return b.first_rows[column] + b.places[k]; }
  __device__ void put(Index place, int j, double sum) const { b.y(place, j) += sum; }
  __device__ Index offset(Index k) const { return b.places[k]; }

  /// Sixteen columns, a row for each lane.
  __device__ void fetch(Index offset, Index begin, int j, int warp, int lane, double* stage,
                        int stride) const {
    const double* x = b.x.column(j) + offset;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const int column = 16 * warp + i;
      const bool is_there = offset >= 0 && begin + column < b.alphas;
      copy_later(stage + lane * stride + column,
                 is_there ? x + b.first_rows[begin + column] : b.x.data, is_there);
    }
  }
};

/// A block of threads has a band of rows and 128 columns, each warp 16 of these. Tiles and x go
/// through shared memory, some steps ahead of the products.
template <class Over>
class StringProduct {
  using View = StringTilesView;

 public:
  static constexpr int kThreads = 256;
  static constexpr int kColumns = 128;

  /// What stands in shared memory.
  struct Stage {
    static constexpr int kSteps = 4;
    static constexpr int kRows = kSteps * View::kTileColumns;
    static constexpr int kStride = kColumns + 4;  // so that no two lanes of a half warp collide

    double tiles[kSteps * View::kBandTiles * View::kTileSize];
    double x[kRows * kStride];
    int first[kSteps];  // tile of each step
    int there[kSteps];  // which of its tiles are
  };
  static constexpr int kStages = 2;
  static constexpr Index kSharedBytes = Index{sizeof(Stage)} * kStages;

  __device__ StringProduct(const View& a, const Over& over, Stage* stages)
      : a_(a),
        over_(over),
        stages_(stages),
        vector_(static_cast<int>(blockIdx.z)),
        band_(blockIdx.y),
        begin_(Index{blockIdx.x} * kColumns),
        steps_(a.steps + a.bands[band_]),
        tiles_(a.values + a.first_tile[band_] * View::kTileSize),
        count_(static_cast<int>(a.bands[band_ + 1] - a.bands[band_])),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void run() {
    now_ = step_at(0);
    offset_ = offset_of(now_);
    ahead_ = step_at(Stage::kSteps);
    fetch(0);
    for (int first = 0; first < count_; first += Stage::kSteps) {
      fetch(first + Stage::kSteps);
      wait_for_copies<1>();
      __syncthreads();
      multiply(first);
      __syncthreads();
    }
    put();
  }

 private:
  __device__ Stage& stage_of(int first) const { return stages_[first / Stage::kSteps % kStages]; }

  /// Of the stage that begins there, that of the lane's row; without tiles beyond the last one.
  __device__ View::Step step_at(int first) const {
    const int step = first + lane_ / View::kTileColumns;
    return step < count_ ? steps_[step] : View::Step{0, 0};
  }

  __device__ Index offset_of(const View::Step& step) const {
    const Index k = step.column() + lane_ % View::kTileColumns;
    return step.tiles() != 0 && k < a_.rows ? over_.offset(k) : -1;
  }

  /// The steps from `first` on, as many as a stage has. What says where the next ones are is asked
  /// for now, so that nobody waits for it then.
  __device__ void fetch(int first) {
    Stage& stage = stage_of(first);
    over_.fetch(offset_, begin_, vector_, warp_, lane_, stage.x, Stage::kStride);
    const int begin = __shfl_sync(~0U, now_.first, 0);
    int end = begin;
    for (int i = 0; i < Stage::kSteps; ++i) {
      const int tiles = __popc(__shfl_sync(~0U, now_.tiles(), i * View::kTileColumns));
      end += tiles;
    }
    const double* from = tiles_ + Index{begin} * View::kTileSize;
    for (int i = 2 * static_cast<int>(threadIdx.x); i < (end - begin) * View::kTileSize;
         i += 2 * kThreads)
      copy_sixteen_later(stage.tiles + i, from + i);
    if (warp_ == 0 && lane_ % View::kTileColumns == 0) {
      stage.first[lane_ / View::kTileColumns] = now_.first - begin;
      stage.there[lane_ / View::kTileColumns] = now_.tiles();
    }
    end_group_of_copies();
    now_ = ahead_;
    offset_ = offset_of(now_);
    ahead_ = step_at(first + 2 * Stage::kSteps);
  }

  __device__ void multiply(int first) {
    const Stage& stage = stage_of(first);
    const int steps = min(Stage::kSteps, count_ - first);
    for (int i = 0; i < steps; ++i) {
      const int there = stage.there[i];
      const double* from =
          stage.x + (i * View::kTileColumns + lane_ % 4) * Stage::kStride + 16 * warp_ + lane_ / 4;
      const double b[2][2] = {{from[0], from[4 * Stage::kStride]},
                              {from[8], from[4 * Stage::kStride + 8]}};
      const double* tile = stage.tiles + stage.first[i] * View::kTileSize + 4 * lane_;
#pragma unroll
      for (int m = 0; m < View::kBandTiles; ++m) {
        if ((there >> m & 1) == 0) continue;
        const double2 left = *reinterpret_cast<const double2*>(tile);
        const double2 right = *reinterpret_cast<const double2*>(tile + 2);
#pragma unroll
        for (int n = 0; n < 2; ++n)
          multiply_add(sums_[m][n], left.x, left.y, right.x, right.y, b[n][0], b[n][1]);
        tile += View::kTileSize;
      }
    }
  }

  __device__ void put() const {
#pragma unroll
    for (int m = 0; m < View::kBandTiles; ++m)
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const Index row = band_ * View::kBandRows + m * View::kTileRows + lane_ / 4 + i / 2 * 8;
          const Index column = begin_ + 16 * warp_ + n * 8 + lane_ % 4 * 2 + i % 2;
          if (row < a_.rows && column < over_.columns())
            over_.put(over_.place(row, column), vector_, sums_[m][n][i]);
        }
  }

  const View& a_;
  const Over& over_;
  Stage* const stages_;
  const int vector_;
  const Index band_;
  const Index begin_;  // of its columns
  const View::Step* const steps_;
  const double* const tiles_;  // of the band
  const int count_;            // of steps
  const int warp_;
  const int lane_;
  View::Step now_;    // of the stage that is fetched next
  View::Step ahead_;  // of the one after it
  Index offset_ = -1;
  double sums_[View::kBandTiles][2][4] = {};
};

template <class Over>
__global__ void __launch_bounds__(StringProduct<Over>::kThreads, 2)
    string_product(const StringTilesView a, const Over over) {
  extern __shared__ __align__(16) char shared[];
  using Product = StringProduct<Over>;
  Product(a, over, reinterpret_cast<typename Product::Stage*>(shared)).run();
}

}  // namespace cisolve::ci::cuda
