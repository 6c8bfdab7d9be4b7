#include <cublas_v2.h>

#include <algorithm>
#include <optional>

#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "bench/diagonal/rivals.hpp"
#include "sparse/diagonal/band_pairs.hpp"

// cuBLAS, batched: blocks of rows of bands as dense panels. A band is stored row by row, each row
// followed by enough zeros that a panel is a dense matrix in place, with a row stride smaller by
// one: positions left and right of the band then fall on the zeros of the row before or of its own.
namespace cisolve::bench {
namespace {

using base::Array;
using sparse::BandPairs;

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // thread rows per tile
constexpr auto kMemoryLabel = "panels";

using Tile = double[kTile][kTile + 1];

struct Failure {
  std::string why;
};

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Failure{base::concat(call, ": ", cublasGetStatusString(status))};
}

/// Odd, so that rows of panels, with a stride smaller by one, begin at multiples of 16 bytes.
Index pitch_of(Index numbers) { return numbers + 1 + numbers % 2; }

/// Diagonals of a matrix, and the rows of its band to pack.
struct View {
  Index rows;
  Index columns;
  Index low;
  Index width;
  Index pitch;
  const std::int32_t* bases;
  Index first;  // the first row, which may be outside the matrix
  Index count;
};

/// Packs rows of panels, with zeros outside the band.
__global__ void pack_band(const View band, const double* values, double* panels) {
  __shared__ Tile tile;
  const Index first_row = Index{blockIdx.x} * kTile;
  const Index first_slot = Index{blockIdx.y} * kTile;
  const auto lane = static_cast<int>(threadIdx.x);
  const Index row = band.first + first_row + lane;
  for (int k = static_cast<int>(threadIdx.y); k < kTile; k += kTileRows) {
    const Index slot = first_slot + k;
    const std::int32_t base = slot < band.width ? band.bases[slot] : BandPairs::kNone;
    const Index column = row + band.low + slot;
    const bool is_there = base != BandPairs::kNone && row >= 0 && row < band.rows && column >= 0 &&
                          column < band.columns;
    tile[k][lane] = is_there ? values[base + row] : 0;
  }
  __syncthreads();
  const Index slot = first_slot + lane;
  for (int k = static_cast<int>(threadIdx.y); k < kTile; k += kTileRows)
    if (first_row + k < band.count && slot < band.pitch)
      panels[(first_row + k) * band.pitch + slot] = tile[lane][k];
}

__global__ void unpack_band(const View band, const double* panels, double* values) {
  __shared__ Tile tile;
  const Index first_row = Index{blockIdx.x} * kTile;
  const Index first_slot = Index{blockIdx.y} * kTile;
  const auto lane = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < kTile; k += kTileRows) {
    const bool is_there = first_row + k < band.count && first_slot + lane < band.width;
    tile[k][lane] = is_there ? panels[(first_row + k) * band.pitch + first_slot + lane] : 0;
  }
  __syncthreads();
  const Index row = first_row + lane;
  for (int k = static_cast<int>(threadIdx.y); k < kTile; k += kTileRows) {
    const Index slot = first_slot + k;
    if (slot >= band.width || row >= band.rows || band.bases[slot] == BandPairs::kNone) continue;
    const Index column = row + band.low + slot;
    if (column >= 0 && column < band.columns) values[band.bases[slot] + row] = tile[lane][k];
  }
}

dim3 tiles(Index rows, Index slots) {
  return {static_cast<unsigned>((rows + kTile - 1) / kTile),
          static_cast<unsigned>((slots + kTile - 1) / kTile)};
}

/// A matrix and its panels.
struct Panels {
  Panels(const BandPairs::Band& band, const sparse::MatrixShape& shape, Index first, Index count,
         Index pitch, const base::Backend& device)
      : bases(Array<std::int32_t>::copy_of(band.bases, device, kMemoryLabel)),
        numbers(device, count * pitch, kMemoryLabel),
        view{shape.rows,   shape.columns, band.low,
             band.width(), pitch,         bases.data() + BandPairs::kBeside,
             first,        count} {}

  Array<std::int32_t> bases;
  Array<double> numbers;
  View view;
};

Measured measured(const BandPairs& bands, const sparse::Diagonal& a, const sparse::Diagonal& b,
                  sparse::Diagonal& c, Index block) {
  const base::Backend& device = a.values.backend();
  const cudaStream_t stream = device.device().stream();
  const Index count = (a.shape.rows + block - 1) / block;
  const Index inner = block + bands.a.width() - 1;
  const Index columns = inner + bands.b.width() - 1;
  Panels of_a(bands.a, a.shape, 0, count * block, pitch_of(inner + 1), device);
  Panels of_b(bands.b, b.shape, bands.a.low, count * block + bands.a.width() - 1,
              pitch_of(columns + 1), device);
  Panels of_c(bands.c, c.shape, 0, count * block, pitch_of(columns + 1), device);
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cublasCreate");
  check(cublasSetStream(handle, stream), "cublasSetStream");
  const double one = 1;
  const double zero = 0;
  const dim3 threads(kTile, kTileRows);
  const auto pack = [&](Panels& panels, const sparse::Diagonal& matrix) {
    pack_band<<<tiles(panels.view.count, panels.view.pitch), threads, 0, stream>>>(
        panels.view, matrix.values.data(), panels.numbers.data());
    base::cuda::check_launch("pack_band");
  };
  const auto multiply = [&] {  // cuBLAS is column-major: all matrices are transposed
    check(cublasDgemmStridedBatched_64(
              handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, block, inner, &one, of_b.numbers.data(),
              of_b.view.pitch - 1, block * of_b.view.pitch, of_a.numbers.data(),
              of_a.view.pitch - 1, block * of_a.view.pitch, &zero, of_c.numbers.data(),
              of_c.view.pitch - 1, block * of_c.view.pitch, count),
          "cublasDgemmStridedBatched");
  };
  Measured found{.name = base::concat("cublas, packed blocks of ", block, " rows")};
  found.value_seconds = best_seconds(device, 5, [&] {
    pack(of_a, a);
    pack(of_b, b);
    multiply();
    unpack_band<<<tiles(of_c.view.count, of_c.view.width), threads, 0, stream>>>(
        of_c.view, of_c.numbers.data(), c.values.data());
    base::cuda::check_launch("unpack_band");
  });
  found.seconds = best_seconds(device, 5, multiply);  // cuBLAS alone
  cublasDestroy(handle);
  return found;
}

}  // namespace

Measured cublas_product(const sparse::DiagonalProductPlan& plan, const sparse::Diagonal& a,
                        const sparse::Diagonal& b, const sparse::Diagonal& expected, Index block) {
  sparse::Diagonal c = plan.allocate();
  const std::optional<BandPairs> bands = BandPairs::of(plan.pairs());
  try {
    Measured found = measured(bands.value(), a, b, c, block);
    found.error = error_of(c, expected);
    return found;
  } catch (const Failure& failure) {
    return {.name = "cublas, packed blocks", .failed = failure.why};
  } catch (const base::Error& error) {
    return {.name = "cublas, packed blocks", .failed = error.what()};
  }
}

}  // namespace cisolve::bench
