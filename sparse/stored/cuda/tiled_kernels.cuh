#pragma once

#include "sparse/stored/cuda/interleave.cuh"
#include "sparse/stored/cuda/tile_copies.cuh"
#include "sparse/stored/cuda/tile_sums.cuh"
#include "sparse/stored/cuda/tile_units.cuh"
#include "sparse/stored/products.hpp"

// The tiled format: one thread block per block of rows, with its part of y and the tile's part of x
// in shared memory. Each lane walks along its run of elements. Rows that begin within a run are
// added to y by that lane alone; contributions to the row in which a run begins are reduced over
// lanes by shuffles. The first lane's row may belong to the warp before, so its sum is carried in a
// list and added after several cells, always in the same order.
namespace cisolve::sparse::cuda {

struct TiledProduct {
  TiledView a;
  double alpha;
  const double* x;  // interleaved
  double beta;
  base::Block y;
};

/// Work of a thread for its block of rows; Units is PlainUnits or CodedUnits.
template <int Width, class Units>
class TiledBlock {
 public:
  __device__ TiledBlock(const TiledProduct& p, double* shared)
      : p_(p),
        shared_(shared + near_magnitudes()),
        copies_(p.a, p.x, shared_, arrivals()),
        warp_(static_cast<int>(threadIdx.x) / kTileLanes),
        lane_(static_cast<int>(threadIdx.x) % kTileLanes) {}

  __device__ void run() {
    const Column first_row = p_.a.block_rows[blockIdx.x];
    const int rows = static_cast<int>(p_.a.block_rows[blockIdx.x + 1] - first_row);
    walk(rows);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < rows; i += kTileThreads)
#pragma unroll
      for (int j = 0; j < Width; ++j)
        write_result(p_.alpha, y()[i * Width + j], p_.beta, p_.y(first_row + i, j));
  }

 private:
  static constexpr int kTogether = Width == 1 ? 4 : Width == 2 ? 2 : 1;
  static constexpr int kUnitsAhead = Units::under_way(Width);
  using Unit = typename Units::Unit;

  __device__ int near_magnitudes() const {
    return Units::kCoded ? static_cast<int>(p_.a.near_magnitudes) : 0;
  }

  // Shared memory: magnitudes of coded values, two tiles of x, the block's part of y, each lane's
  // sum for the row in which its run begins, and the carried sums and rows of each warp and cell.
  __device__ double* y() const { return shared_ + 2 * static_cast<int>(p_.a.tile_columns) * Width; }
  __device__ int head_slot() const {
    return (static_cast<int>(p_.a.largest_block) + static_cast<int>(threadIdx.x)) * Width;
  }
  __device__ double* carry() const {
    return y() + (static_cast<int>(p_.a.largest_block) + kTileThreads) * Width;
  }
  __device__ int* carry_row() const {
    return reinterpret_cast<int*>(carry() + kTileCarries * Width);
  }
  __device__ std::uint64_t* arrivals() const {
    return reinterpret_cast<std::uint64_t*>(carry_row() + kTileCarries);
  }

  /// Processes all units of this warp in order; cells begin and end in between.
  __device__ void walk(int rows) {
    const Index* stream = p_.a.warp_units + Index{blockIdx.x} * kTileWarps + warp_;
    const Index first = stream[0];
    const auto count = static_cast<int>(stream[1] - first);
    cell_ = static_cast<int>(p_.a.block_cells[blockIdx.x]);
    cells_end_ = static_cast<int>(p_.a.block_cells[blockIdx.x + 1]);
    const Units units(p_.a, first, shared_ - near_magnitudes());
    Unit ahead[kUnitsAhead];
#pragma unroll
    for (int d = 0; d < kUnitsAhead; ++d)
      if (d < count) units.load(ahead[d], d, lane_);
    bool more = begin_walk(rows);
    for (int base = 0; more; base += kUnitsAhead) {
#pragma unroll
      for (int d = 0; d < kUnitsAhead; ++d) {
        while (more && base + d == cell_end_) more = next_cell();
        if (!more) break;
        const Unit unit = ahead[d];
        if (base + d + kUnitsAhead < count) units.load(ahead[d], base + d + kUnitsAhead, lane_);
        unsigned words[kUnitWidth];
        double values[kUnitWidth];
        units.unpack(unit, words, values);
#pragma unroll
        for (int k = 0; k < kUnitWidth; k += kTogether) take(words + k, values + k);
      }
    }
  }

  /// Processes some elements at once, so that their reads of x and of the finished rows of y
  /// overlap. A lane finishes each row once, so these rows differ.
  __device__ void take(const unsigned* words, const double* values) {
    const int rotation = Sums<Width>::rotation(lane_);
    Sums<Width> x[kTogether];
    Sums<Width> old[kTogether];
    int slots[kTogether];
    bool leaves[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      const unsigned column = p_.a.code.column(words[k]);
      const bool jumps = p_.a.code.is_jump(words[k]);
      const unsigned step = jumps ? column : words[k] >> p_.a.code.column_bits;
      leaves[k] = step != 0;
      slots[k] = slot_;
      row_ += static_cast<int>(step);
      if (leaves[k]) {
        old[k].read(y() + slot_, rotation);
        slot_ = row_ * Width;
      }
      if (!jumps) x[k].read(x_ + column * Width, rotation);
    }
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      if (leaves[k]) {
        old[k].add(1, sums_);
        old[k].write(y() + slots[k], rotation);
        sums_.clear();
      }
      sums_.add(values[k], x[k]);
    }
  }

  /// Returns false if the block has no cells.
  __device__ bool begin_walk(int rows) {
    const bool any = cell_ < cells_end_;
    __syncthreads();  // the barriers of the copies are initialised
    if (any) copies_.start_copies(cell_);
    if (any) read_plan();
    for (int i = static_cast<int>(threadIdx.x); i < rows * Width; i += kTileThreads) y()[i] = 0;
    if constexpr (Units::kCoded) bring_magnitudes();
    copies_.finish();
    __syncthreads();
    if (any) begin_cell();
    return any;
  }

  __device__ void bring_magnitudes() {
    const int count = min(near_magnitudes(), static_cast<int>(p_.a.magnitude_count));
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kTileThreads)
      shared_[i - near_magnitudes()] = p_.a.magnitudes[i];
  }

  /// Reads the plan of the next cell in advance.
  __device__ void read_plan() {
    const Index run = Index{cell_} * kTileWarps + warp_;
    next_units_ = static_cast<int>(p_.a.cell_units[run]);
    next_row_ = p_.a.lane_rows[run * kTileLanes + lane_];
  }

  __device__ bool next_cell() {
    finish_cell();
    copies_.finish();
    __syncthreads();  // all threads have finished with the tile
    const bool last = cell_ == cells_end_;
    if (++carried_ == kCarriedCells || last) {
      if (warp_ == 0) fold_carries();
      carried_ = 0;
      __syncthreads();
    }
    if (!last) begin_cell();
    return !last;
  }

  __device__ void begin_cell() {
    cell_end_ += next_units_;
    row_ = head_row_ = next_row_;
    x_ = copies_.next();
    slot_ = head_slot();  // the first row may be another lane's
    sums_.clear();
    sums_.write(y() + slot_, 0);
    if (++cell_ == cells_end_) return;
    copies_.start_copies(cell_);
    read_plan();
  }

  __device__ void finish_cell() {
    const int rotation = Sums<Width>::rotation(lane_);
    Sums<Width> last;
    last.read(y() + slot_, rotation);
    last.add(1, sums_);
    last.write(y() + slot_, rotation);
    __syncwarp();
    Sums<Width> head;
    head.read(y() + head_slot(), 0);
    const bool leads = gather_rows<Width>(head_row_, head);
    if (lane_ == 0) {  // the first row may belong to the preceding warp as well
      const int place = carried_ * kTileWarps + warp_;
      head.write(carry() + place * Width, 0);
      carry_row()[place] = head_row_;
    } else if (leads) {
      head.add_to(y() + head_row_ * Width);
    }
  }

  /// Adds the carried sums, by one warp while no other writes to y.
  __device__ void fold_carries() const {
    for (int cell = 0; cell < carried_; ++cell) {
      const int place = cell * kTileWarps + lane_;
      Sums<Width> sums;
      const int row = lane_ < kTileWarps ? carry_row()[place] : -1 - lane_;
      if (row >= 0) sums.read(carry() + place * Width, 0);
      if (gather_rows<Width>(row, sums) && row >= 0) sums.add_to(y() + row * Width);
      __syncwarp();
    }
  }

  const TiledProduct& p_;
  double* shared_;
  TileCopies<Width> copies_;
  const double* x_ = nullptr;
  Sums<Width> sums_;
  int warp_;
  int lane_;
  int cell_ = 0;  // the next one
  int cells_end_ = 0;
  int cell_end_ = 0;  // counted in units of this warp
  int row_ = 0;
  int slot_ = 0;  // position of the current row's sum, relative to y()
  int head_row_ = 0;
  int next_units_ = 0;
  int next_row_ = 0;
  int carried_ = 0;  // cells in the list
};

template <int Width, class Units>
__global__ void __launch_bounds__(kTileThreads, 1) tiled_product(const TiledProduct p) {
  extern __shared__ double2 shared_pairs[];
  TiledBlock<Width, Units>(p, reinterpret_cast<double*>(shared_pairs)).run();
}

}  // namespace cisolve::sparse::cuda
