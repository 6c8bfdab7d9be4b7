#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "base/cuda/context.hpp"
#include "sparse/diagonal/band_pairs.hpp"

// C = A B + beta C of bands by double-precision matrix units (mma m8n8k4): a block of eight warps
// computes 128 rows by 64 columns of dense matrices, gathered from diagonals in steps of 16. Every
// element of C is written once, with a fixed order of summation.
namespace cisolve::sparse::cuda {

struct BandView {
  int low;
  int width;
  const std::int32_t* bases;
  const double* values;

  /// Position of row 0 of a slot, or kNone; valid kMargin slots beyond the band as well.
  __device__ __forceinline__ std::int32_t base_of(int slot) const { return __ldg(bases + slot); }
};

struct BandProduct {
  int rows;
  int inner;
  int columns;
  Index blocks;
  Index tiles;
  BandView a;
  BandView b;
  BandView c;
  double beta;
  double* target;
};

constexpr int kBandRows = BandPairs::kRows;
constexpr int kBandColumns = BandPairs::kColumns;
constexpr int kBandDepth = BandPairs::kDepth;
constexpr int kBandCorner = BandPairs::kCorner;
constexpr int kBandWarps = (kBandRows / kBandCorner) * (kBandColumns / kBandCorner);
constexpr int kBandThreads = 32 * kBandWarps;
constexpr int kBandStages = 3;
// Pitches for which 16 lanes that read together use distinct banks.
constexpr int kPitchA = kBandDepth + 4;
constexpr int kPitchB = kBandColumns + 4;
constexpr int kPitchC = kBandColumns + 2;
constexpr int kStageNumbers = kBandRows * kPitchA + kBandDepth * kPitchB;
constexpr int kBandNumbers = kBandStages * kStageNumbers;
static_assert(kBandRows * kPitchC <= kBandNumbers);
constexpr int kBandBytes = kBandNumbers * static_cast<int>(sizeof(double));
constexpr int kUnit = 8;       // rows and columns of a matrix unit's result
constexpr int kUnitDepth = 4;  // inner columns per instruction
constexpr int kUnits = kBandCorner / kUnit;

__device__ __forceinline__ void copy_or_zero(double* to, const double* from, bool is_there) {
  __pipeline_memcpy_async(to, from, sizeof(double), is_there ? 0 : sizeof(double));
}

/// Sixteen consecutive lanes read consecutive values of one diagonal.
constexpr int kBandGroups = kBandThreads / kBandDepth;
/// Diagonals per group of lanes that `lines` rows or columns intersect within a stage.
__host__ __device__ constexpr int diagonals_of_group(int lines) {
  return (lines + kBandDepth - 1 + kBandGroups - 1) / kBandGroups;
}

/// Positions of the diagonals of a stage, loaded one stage ahead.
struct BandBases {
  std::int32_t of_a[diagonals_of_group(kBandRows)];
  std::int32_t of_b[diagonals_of_group(kBandColumns)];
};

/// Part of a stage loaded between two multiplication steps: every kBandParts-th diagonal.
constexpr int kBandParts = kBandDepth / kUnitDepth;

class BandStage {
 public:
  __device__ BandStage(const BandProduct& p, int row, int column)
      : p_(p), row_(row), column_(column) {}

  /// Loads the positions for columns of A from `first` on.
  __device__ __forceinline__ void load_bases(int first, BandBases& bases) const {
#pragma unroll
    for (int n = 0; n < diagonals_of_group(kBandRows); ++n)
      bases.of_a[n] = p_.a.base_of(first - (kBandRows - 1) + group() + n * kBandGroups);
#pragma unroll
    for (int n = 0; n < diagonals_of_group(kBandColumns); ++n)
      bases.of_b[n] = p_.b.base_of(column_ - first - (kBandDepth - 1) + group() + n * kBandGroups);
  }

  template <int Part>
  __device__ __forceinline__ void bring(int first, const BandBases& bases, double* stage) const {
    const int m = static_cast<int>(threadIdx.x) % kBandDepth;
    const int j = row_ + p_.a.low + first + m;
    const bool is_inner = j >= 0 && j < p_.inner;
#pragma unroll
    for (int n = Part; n < diagonals_of_group(kBandRows); n += kBandParts) {
      const int r = m + kBandRows - 1 - group() - n * kBandGroups;
      if (r < 0 || r >= kBandRows) continue;
      const bool is_there = bases.of_a[n] != BandPairs::kNone && is_inner && row_ + r < p_.rows;
      copy_or_zero(stage + r * kPitchA + m, p_.a.values + (is_there ? bases.of_a[n] + row_ + r : 0),
                   is_there);
    }
    double* const of_b = stage + kBandRows * kPitchA + m * kPitchB;
    const int k_of_tile = row_ + p_.c.low + column_;
#pragma unroll
    for (int n = Part; n < diagonals_of_group(kBandColumns); n += kBandParts) {
      const int c = group() + n * kBandGroups + m - (kBandDepth - 1);
      if (c < 0 || c >= kBandColumns) continue;
      const int k = k_of_tile + c;
      const bool is_there =
          bases.of_b[n] != BandPairs::kNone && is_inner && k >= 0 && k < p_.columns;
      copy_or_zero(of_b + c, p_.b.values + (is_there ? bases.of_b[n] + j : 0), is_there);
    }
  }

 private:
  static __device__ __forceinline__ int group() {
    return static_cast<int>(threadIdx.x) / kBandDepth;
  }

  const BandProduct& p_;
  int row_;
  int column_;
};

/// Accumulators of a warp for its rows and columns of a tile.
class BandSums {
 public:
  /// Adds step `part` of a stage.
  __device__ __forceinline__ void add(const double* stage, int row, int column, int part) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const double* a = stage + (row + lane / 4) * kPitchA + lane % 4;
    const double* b = stage + kBandRows * kPitchA + (lane % 4) * kPitchB + column + lane / 4;
    const int depth = part * kUnitDepth;
    double of_a[kUnits];
    double of_b[kUnits];
#pragma unroll
    for (int x = 0; x < kUnits; ++x) of_a[x] = a[x * kUnit * kPitchA + depth];
#pragma unroll
    for (int y = 0; y < kUnits; ++y) of_b[y] = b[depth * kPitchB + y * kUnit];
#pragma unroll
    for (int x = 0; x < kUnits; ++x)
#pragma unroll
      for (int y = 0; y < kUnits; ++y) multiply(of_a[x], of_b[y], sums_[x][y]);
  }

  __device__ __forceinline__ void write(double* tile, int row, int column) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    double* to = tile + (row + lane / 4) * kPitchC + column + 2 * (lane % 4);
#pragma unroll
    for (int x = 0; x < kUnits; ++x)
#pragma unroll
      for (int y = 0; y < kUnits; ++y) {
        to[x * kUnit * kPitchC + y * kUnit] = sums_[x][y][0];
        to[x * kUnit * kPitchC + y * kUnit + 1] = sums_[x][y][1];
      }
  }

 private:
  /// sum += a b across the warp; each lane holds one of 32 numbers of a and b, and two of the sum.
  static __device__ __forceinline__ void multiply(double a, double b, double (&sum)[2]) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(a), "d"(b));
#else
    __trap();  // has_matrix_units() excludes such devices
#endif
  }

  double sums_[kUnits][kUnits][2] = {};
};

/// Writes a tile; each warp writes whole diagonals.
__device__ __forceinline__ void write_tile(const BandProduct& p, int row, int column,
                                           const double* tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  for (int d = warp - (kBandRows - 1); d < kBandColumns; d += kBandWarps) {
    const int slot = column + d;
    const std::int32_t base = p.c.base_of(slot);
    if (base == BandPairs::kNone) continue;
    const int end = min(kBandRows, kBandColumns - d);
    for (int r = max(0, -d) + lane; r < end; r += 32) {
      const int i = row + r;
      const int k = i + p.c.low + slot;
      if (i >= p.rows || k < 0 || k >= p.columns) continue;
      const double value = tile[r * kPitchC + r + d];
      double* const c = p.target + base + i;
      __stcs(c, p.beta == 0 ? value : fma(p.beta, *c, value));
    }
  }
}

/// True if the tile has an output; tiles of a half that is not stored have none.
__device__ __forceinline__ bool is_wanted(const BandProduct& p, int column) {
  bool is_here = false;
  for (int d = static_cast<int>(threadIdx.x); d < kBandRows + kBandColumns - 1; d += kBandThreads)
    is_here = is_here || p.c.base_of(column + d - (kBandRows - 1)) != BandPairs::kNone;
  return __syncthreads_or(is_here) != 0;
}

__global__ void __launch_bounds__(kBandThreads, 2) band_product(const BandProduct p) {
  extern __shared__ __align__(16) double band_numbers[];
  const int row = static_cast<int>(blockIdx.x / p.tiles) * kBandRows;
  const int column = static_cast<int>(blockIdx.x % p.tiles) * kBandColumns;
  if (!is_wanted(p, column)) return;
  const int begin = max(0, column - (p.b.width - 1));
  const int end = min(kBandRows - 1 + p.a.width, column + kBandColumns);
  const int steps = (max(0, end - begin) + kBandDepth - 1) / kBandDepth;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  constexpr int side_by_side = kBandColumns / kBandCorner;
  const int row_of_warp = warp / side_by_side * kBandCorner;
  const int column_of_warp = warp % side_by_side * kBandCorner;
  const int first_of_warp = max(row_of_warp, column + column_of_warp - (p.b.width - 1));
  const int end_of_warp =
      min(row_of_warp + kBandCorner - 1 + p.a.width, column + column_of_warp + kBandCorner);
  // In each scheduler, half of the warps load while the others multiply.
  const bool loads_first = warp / 4 % 2 == 0;
  const BandStage stage(p, row, column);
  BandBases bases;
  BandSums sums;
  const auto place = [&](int s) { return band_numbers + s % kBandStages * kStageNumbers; };
  const auto first_of = [&](int s) { return begin + s * kBandDepth; };
  const auto at_each_part = [&](auto work) {
    static_assert(kBandParts == 4);
    work.template operator()<0>();
    work.template operator()<1>();
    work.template operator()<2>();
    work.template operator()<3>();
  };
  stage.load_bases(begin, bases);
#pragma unroll
  for (int s = 0; s < kBandStages - 1; ++s) {
    if (s < steps) at_each_part([&]<int Part> { stage.bring<Part>(first_of(s), bases, place(s)); });
    __pipeline_commit();
    if (s + 1 < steps) stage.load_bases(first_of(s + 1), bases);
  }
  for (int s = 0; s < steps; ++s) {
    __pipeline_wait_prior(kBandStages - 2);
    __syncthreads();  // the stage is loaded, and the one before is no longer read
    const int next = s + kBandStages - 1;
    const bool adds = first_of(s) < end_of_warp && first_of(s) + kBandDepth > first_of_warp;
    at_each_part([&]<int Part> {
      if (loads_first && next < steps) stage.bring<Part>(first_of(next), bases, place(next));
      if (adds) sums.add(place(s), row_of_warp, column_of_warp, Part);
      if (!loads_first && next < steps) stage.bring<Part>(first_of(next), bases, place(next));
    });
    __pipeline_commit();
    if (next + 1 < steps) stage.load_bases(first_of(next + 1), bases);
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  sums.write(band_numbers, row_of_warp, column_of_warp);
  __syncthreads();
  write_tile(p, row, column, band_numbers);
}

inline void launch_band_product(const BandProduct& product, cudaStream_t stream) {
  const Index blocks = product.blocks * product.tiles;
  if (blocks == 0) return;
  base::cuda::check(
      cudaFuncSetAttribute(band_product, cudaFuncAttributeMaxDynamicSharedMemorySize, kBandBytes),
      "cudaFuncSetAttribute");
  band_product<<<static_cast<unsigned>(blocks), kBandThreads, kBandBytes, stream>>>(product);
  base::cuda::check_launch("band_product");
}

}  // namespace cisolve::sparse::cuda
