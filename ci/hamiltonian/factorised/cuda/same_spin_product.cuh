#pragma once

#include "base/cuda/bulk_copies.cuh"
#include "base/cuda/fragments.cuh"
#include "ci/hamiltonian/factorised/cuda/same_spin_rows.cuh"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

// Same-spin parts, sigma_alpha and sigma_beta: a SameSpinMatrix times a block of rows.
namespace cisolve::ci::cuda {

using base::cuda::copy_sixteen_later;
using base::cuda::end_group_of_copies;
using base::cuda::multiply_add;
using base::cuda::TransferBarrier;
using base::cuda::wait_for_copies;

/// A thread block has a band of rows and 128 columns, each warp 16 of these. Tiles and x pass
/// through shared memory, a stage of four steps ahead of the products: rows of x by bulk copies if
/// they are aligned (kWhole), otherwise by all threads.
template <class Side, bool kWhole>
class SameSpinProduct {
  using View = SameSpinTilesView;

 public:
  static constexpr int kColumns = 128;
  static constexpr int kWarps = kColumns / 16;
  static constexpr int kThreads = 32 * kWarps;

  /// One stage in shared memory.
  struct alignas(16) Stage {
    static constexpr int kSteps = 4;
    static constexpr int kRows = kSteps * View::kTileColumns;
    static constexpr int kStride = kColumns + 4;  // no bank conflicts in a half warp

    double tiles[kSteps * View::kBandTiles * View::kTileSize];
    double x[kRows * kStride];
    int first[kSteps];  // first tile of each step, in `tiles`
    int there[kSteps];  // bit mask of its tiles
    TransferBarrier arrival;
  };
  static constexpr int kStages = 2;
  static constexpr int kRowsOfWarp = Stage::kRows / kWarps;
  static constexpr Index kSharedBytes = Index{sizeof(Stage)} * kStages;

  __device__ SameSpinProduct(const View& a, const Side& side, Index begin, Stage* stages)
      : a_(a),
        side_(side),
        stages_(stages),
        vector_(static_cast<int>(blockIdx.z)),
        band_(blockIdx.x),
        begin_(begin + Index{blockIdx.y} * kColumns),
        steps_(a.steps + a.bands[band_]),
        count_(static_cast<int>(a.bands[band_ + 1] - a.bands[band_])),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void run() {
    if constexpr (kWhole && TransferBarrier::kExists)
      run_by_whole_rows();
    else
      run_by_threads();
    put();
  }

 private:
  __device__ void run_by_threads() {
    fetch(0);
    for (int first = 0; first < count_; first += Stage::kSteps) {
      fetch(first + Stage::kSteps);
      wait_for_copies<1>();
      __syncthreads();
      multiply(first);
      __syncthreads();
    }
  }

  /// Each warp starts the copies of four rows, whose addresses it has looked up a stage before.
  __device__ void run_by_whole_rows() {
    if (threadIdx.x == 0)
      for (int i = 0; i < kStages; ++i) stages_[i].arrival.begin();
    __syncthreads();
    if (count_ == 0) return;
    const int all = (count_ + Stage::kSteps - 1) / Stage::kSteps;
    column_ahead_ = steps_[min(row_in_stage() / View::kTileColumns, count_ - 1)].column;
    look_ahead(0);
    for (int i = 0; i < min(kStages, all); ++i) set_off(i);
    for (int i = 0; i < all; ++i) {
      stages_[i % kStages].arrival.wait(i / kStages);
      multiply(i * Stage::kSteps);
      __syncthreads();
      if (i + kStages < all) set_off(i + kStages);
    }
  }

  /// Prefetches the address of this lane's row of stage `next`, from a column loaded before, and
  /// the column of the stage after that: each load has a stage's time to arrive.
  __device__ void look_ahead(int next) {
    const Index row =
        column_ahead_ * Index{View::kTileColumns} + row_in_stage() % View::kTileColumns;
    place_ahead_ = side_.place(min(row, a_.columns - 1));  // tiles have zeros beyond the end
    const int step = row_in_stage() / View::kTileColumns;
    column_ahead_ = steps_[min((next + 1) * Stage::kSteps + step, count_ - 1)].column;
    if (warp_ == 0) step_ahead_ = step_of(next);
  }

  /// Row copied by this lane.
  __device__ int row_in_stage() const { return kRowsOfWarp * warp_ + lane_ % kRowsOfWarp; }
  __device__ View::Step step_of(int stage) const {
    return steps_[min(stage * Stage::kSteps + lane_ % Stage::kSteps, count_ - 1)];
  }

  __device__ void set_off(int number) {
    Stage& stage = stages_[number % kStages];
    const Index bytes = min(Index{kColumns}, side_.width() - begin_) * Index{sizeof(double)};
    if (warp_ == 0) set_off_tiles(stage, number * Stage::kSteps, bytes);
    const int step = number * Stage::kSteps + row_in_stage() / View::kTileColumns;
    if (lane_ < kRowsOfWarp && step < count_)
      stage.arrival.copy(stage.x + row_in_stage() * Stage::kStride,
                         side_.row(place_ahead_, vector_) + begin_, bytes);
    look_ahead(number + 1);
  }

  /// One warp copies the tiles and announces the bytes of tiles and rows.
  __device__ void set_off_tiles(Stage& stage, int first, Index bytes_of_row) {
    const int steps = min(Stage::kSteps, count_ - first);
    const View::Step step = step_ahead_;
    const Index tile = __shfl_sync(~0U, step.first, 0);
    const auto before = static_cast<int>(step.first - tile);
    const int tiles = __shfl_sync(~0U, before + __popc(step.tiles), steps - 1);
    if (lane_ < steps) {
      stage.first[lane_] = before;
      stage.there[lane_] = step.tiles;
    }
    __syncwarp();
    if (lane_ > 0) return;
    const Index bytes = Index{tiles} * View::kTileSize * Index{sizeof(double)};
    stage.arrival.expect(bytes + steps * View::kTileColumns * bytes_of_row);
    stage.arrival.copy(stage.tiles, a_.values + tile * View::kTileSize, bytes);
  }

  __device__ Stage& stage_of(int first) const { return stages_[first / Stage::kSteps % kStages]; }

  /// Copies one stage's steps, from `first` on.
  __device__ void fetch(int first) {
    const int steps = min(Stage::kSteps, count_ - first);
    if (steps > 0) {
      Stage& stage = stage_of(first);
      const Index tile = steps_[first].first;
      const auto row_of = [&](int row) {
        const int step = row / View::kTileColumns;
        if (step >= steps) return Index{-1};
        const Index k =
            Index{steps_[first + step].column} * View::kTileColumns + row % View::kTileColumns;
        return k < a_.columns ? k : Index{-1};
      };
      fetch_rows<kRowsOfWarp>(side_, row_of, begin_, vector_, warp_, lane_, stage.x,
                              Stage::kStride);
      const View::Step last = steps_[first + steps - 1];
      const int doubles =
          (static_cast<int>(last.first - tile) + __popc(last.tiles)) * View::kTileSize;
      const double* from = a_.values + tile * View::kTileSize;
      for (int i = 2 * static_cast<int>(threadIdx.x); i < doubles; i += 2 * kThreads)
        copy_sixteen_later(stage.tiles + i, from + i);
      if (static_cast<int>(threadIdx.x) < steps) {
        const View::Step step = steps_[first + threadIdx.x];
        stage.first[threadIdx.x] = static_cast<int>(step.first - tile);
        stage.there[threadIdx.x] = step.tiles;
      }
    }
    end_group_of_copies();
  }

  /// y^T += x^T A^T: the left operand of the tensor cores is 16 columns of x, the right one a tile.
  __device__ void multiply(int first) {
    static_assert(View::kTileRows == 8 && View::kTileColumns == 8);
    const Stage& stage = stage_of(first);
    const int steps = min(Stage::kSteps, count_ - first);
    for (int i = 0; i < steps; ++i) {
      const int there = stage.there[i];
      const double* tile = stage.tiles + stage.first[i] * View::kTileSize + 2 * lane_;
      const double* x = stage.x + (i * View::kTileColumns + lane_ % 4) * Stage::kStride + column();
      const double* below = x + 4 * Stage::kStride;
      const double left[4] = {x[0], x[8], below[0], below[8]};
      multiply_four<0>(there & 15, left, tile);
      multiply_four<4>(there >> 4, left, tile + __popc(there & 15) * View::kTileSize);
    }
  }

  /// Multiplies the existing tiles of four. A predicated-off tensor-core instruction takes as long
  /// as an active one, so each case is separate code.
  template <int kFirst>
  __device__ void multiply_four(int there, const double (&left)[4], const double* tile) {
    static_assert(View::kBandTiles == 8);
    switch (there) {
      case 1: return multiply_those<kFirst, 1>(left, tile);
      case 2: return multiply_those<kFirst, 2>(left, tile);
      case 3: return multiply_those<kFirst, 3>(left, tile);
      case 4: return multiply_those<kFirst, 4>(left, tile);
      case 5: return multiply_those<kFirst, 5>(left, tile);
      case 6: return multiply_those<kFirst, 6>(left, tile);
      case 7: return multiply_those<kFirst, 7>(left, tile);
      case 8: return multiply_those<kFirst, 8>(left, tile);
      case 9: return multiply_those<kFirst, 9>(left, tile);
      case 10: return multiply_those<kFirst, 10>(left, tile);
      case 11: return multiply_those<kFirst, 11>(left, tile);
      case 12: return multiply_those<kFirst, 12>(left, tile);
      case 13: return multiply_those<kFirst, 13>(left, tile);
      case 14: return multiply_those<kFirst, 14>(left, tile);
      case 15: return multiply_those<kFirst, 15>(left, tile);
      default: return;
    }
  }

  template <int kFirst, int kThere>
  __device__ void multiply_those(const double (&left)[4], const double* tile) {
#pragma unroll
    for (int m = 0; m < 4; ++m)
      if ((kThere >> m & 1) != 0) {
        const double2 right = *reinterpret_cast<const double2*>(tile);
        multiply_add(sums_[kFirst + m], left[0], left[1], left[2], left[3], right.x, right.y);
        tile += View::kTileSize;
      }
  }

  __device__ void put() const {
#pragma unroll
    for (int m = 0; m < View::kBandTiles; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const Index row = band_ * View::kBandRows + m * View::kTileRows + lane_ % 4 * 2 + i % 2;
        const Index at = begin_ + column() + i / 2 * 8;
        if (row < a_.rows && at < side_.columns()) side_.put(row, at, vector_, sums_[m][i]);
      }
  }

  /// First of this lane's columns, within the block's.
  __device__ int column() const { return 16 * warp_ + lane_ / 4; }

  const View& a_;
  const Side& side_;
  Stage* const stages_;
  const int vector_;
  const Index band_;
  const Index begin_;  // the tile's first column
  const View::Step* const steps_;
  const int count_;  // number of steps
  const int warp_;
  const int lane_;
  // Prefetched for the next stages: address of this lane's row, column of its row a stage later,
  // and a step.
  Index place_ahead_ = 0;
  Column column_ahead_ = 0;
  View::Step step_ahead_{};
  double sums_[View::kBandTiles][4] = {};  // 16 columns x 8 rows each
};

template <class Side, bool kWhole>
__global__ void __launch_bounds__(SameSpinProduct<Side, kWhole>::kThreads, 2)
    same_spin_product(const SameSpinTilesView a, const Side side, Index begin) {
  extern __shared__ __align__(16) char shared[];
  using Product = SameSpinProduct<Side, kWhole>;
  Product(a, side, begin, reinterpret_cast<typename Product::Stage*>(shared)).run();
}

}  // namespace cisolve::ci::cuda
