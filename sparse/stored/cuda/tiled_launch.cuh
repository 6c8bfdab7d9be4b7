#pragma once

#include "sparse/stored/cuda/tiled_kernels.cuh"

// Launch of the tiled product, and the diagonal of a tiled matrix.
namespace cisolve::sparse::cuda {

inline Index tiled_shared_bytes(const TiledView& a, int width) {
  return (2 * a.tile_columns + a.largest_block + kTileThreads + kTileCarries) * width *
             Index{sizeof(double)} +
         kTileCarries * Index{sizeof(int)} + TileCopies<1>::kArrivalBytes +
         a.near_magnitudes * Index{sizeof(double)};
}

template <int Width, class Units>
void launch_tiled_units(const TiledProduct& product, cudaStream_t stream) {
  const auto shared = static_cast<int>(tiled_shared_bytes(product.a, Width));
  base::cuda::check(cudaFuncSetAttribute(tiled_product<Width, Units>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
                    "cudaFuncSetAttribute");
  tiled_product<Width, Units>
      <<<static_cast<unsigned>(product.a.blocks), kTileThreads, shared, stream>>>(product);
  base::cuda::check_launch("tiled_product");
}

template <int Width>
void launch_tiled_product(const TiledProduct& product, cudaStream_t stream) {
  const TiledView& a = product.a;
  if (!a.is_coded()) return launch_tiled_units<Width, PlainUnits>(product, stream);
  if (a.magnitude_count <= a.near_magnitudes)
    return launch_tiled_units<Width, CodedUnits<true>>(product, stream);
  launch_tiled_units<Width, CodedUnits<false>>(product, stream);
}

constexpr int kDiagonalThreads = 256;

__global__ void diagonal_of_tiles(const TiledView a, base::Block d) {
  const Index block = blockIdx.x;
  for (Index i = a.block_rows[block] + threadIdx.x; i < a.block_rows[block + 1];
       i += kDiagonalThreads)
    d(i, 0) = a.tail_diagonal(i);
  __syncthreads();
  a.visit_block(block, static_cast<int>(threadIdx.x), kDiagonalThreads,
                [&](Index row, Index column, double value) {
                  if (row == column) d(row, 0) = value;
                });
}

inline void launch_diagonal(const TiledView& a, base::Block d, cudaStream_t stream) {
  if (a.rows == 0) return;
  diagonal_of_tiles<<<static_cast<unsigned>(a.blocks), kDiagonalThreads, 0, stream>>>(a, d);
  base::cuda::check_launch("diagonal_of_tiles");
}

}  // namespace cisolve::sparse::cuda
