#include "bench/products/kernels/ell_coo.hpp"

#include "base/cuda/context.hpp"
#include "bench/products/kernel.hpp"

// One thread per row for the ELLPACK part, and a segmented sum over equal parts of the coordinates.
// Partial sums of a row are added by atomicAdd, so its last bit may vary.
namespace cisolve::bench {
namespace {

constexpr int kThreads = 128;
constexpr Index kWarpCoordinates = 512;  // coordinates per warp

__global__ void __launch_bounds__(kThreads)
    multiply_ellpack(EllCooView a, double alpha, const double* x, double beta, double* y) {
  const Index row = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (row >= a.rows) return;
  double sum = 0;
  for (Index k = 0; k < a.width; ++k) {
    const Column column = a.ell_column[k * a.rows + row];
    if (column < 0) break;
    sum += a.ell_value[k * a.rows + row] * x[column];
  }
  y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
}

__global__ void __launch_bounds__(kThreads)
    add_coordinates(EllCooView a, double alpha, const double* x, double* y) {
  const Index warp = (Index{blockIdx.x} * kThreads + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Index begin = warp * kWarpCoordinates;
  const Index end = min(begin + kWarpCoordinates, a.rest);
  Column carried_row = -1;
  double carried = 0;
  for (Index base = begin; base < end; base += 32) {
    const Index k = base + lane;
    const Column row = k < end ? a.row[k] : -1;
    double sum = k < end ? a.value[k] * x[a.column[k]] : 0;
    if (lane == 0 && carried_row >= 0) {
      if (carried_row == row)
        sum += carried;
      else
        atomicAdd(y + carried_row, alpha * carried);
    }
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Column other = __shfl_up_sync(0xffffffffU, row, distance);
      const double before = __shfl_up_sync(0xffffffffU, sum, distance);
      if (lane >= distance && other == row) sum += before;
    }
    const Column next = __shfl_down_sync(0xffffffffU, row, 1);
    if (lane < 31 && next != row && row >= 0) atomicAdd(y + row, alpha * sum);
    carried_row = __shfl_sync(0xffffffffU, row, 31);
    carried = __shfl_sync(0xffffffffU, sum, 31);
  }
  if (lane == 0 && carried_row >= 0) atomicAdd(y + carried_row, alpha * carried);
}

void multiply(const base::Backend& backend, const EllCooView& a, double alpha, const double* x,
              double beta, double* y) {
  if (a.rows == 0) return;
  const cudaStream_t stream = backend.device().stream();
  multiply_ellpack<<<static_cast<unsigned>((a.rows + kThreads - 1) / kThreads), kThreads, 0,
                     stream>>>(a, alpha, x, beta, y);
  base::cuda::check_launch("multiply_ellpack");
  if (a.rest == 0) return;
  constexpr Index per_block = kWarpCoordinates * kThreads / 32;
  add_coordinates<<<static_cast<unsigned>((a.rest + per_block - 1) / per_block), kThreads, 0,
                    stream>>>(a, alpha, x, y);
  base::cuda::check_launch("add_coordinates");
}

}  // namespace

std::vector<Kernel> ell_coo_kernels() {
  return {{.name = "cuda/ell-coo",
           .backend = base::BackendKind::cuda,
           .obstacle = one_vector_only,
           .prepare = [](const Workload& matrix, const base::Backend& backend, int) {
             EllCoo stored = build_ell_coo(matrix, ell_coo_width(matrix)).to(backend);
             const Index bytes = stored.bytes();
             return prepared(bytes,
                             [=, stored = std::move(stored)](double alpha, base::ConstBlock x,
                                                             double beta, base::Block y) {
                               multiply(backend, stored.view(), alpha, x.data, beta, y.data);
                             });
           }}};
}

}  // namespace cisolve::bench
