#include "base/cuda/context.hpp"
#include "bench/products/kernel.hpp"

// CSR in its two simplest forms: one thread per row, and one warp per row with partial sums in
// shared memory (Bell and Garland 2008).
namespace cisolve::bench {
namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__device__ double finish(double alpha, double sum, double beta, const double* y) {
  return beta == 0 ? alpha * sum : alpha * sum + beta * *y;
}

__global__ void __launch_bounds__(kThreads)
    csr_scalar(sparse::CsrView a, double alpha, const double* x, double beta, double* y) {
  const Index row = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (row >= a.rows) return;
  double sum = 0;
  for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.value[k] * x[a.column[k]];
  y[row] = finish(alpha, sum, beta, y + row);
}

__global__ void __launch_bounds__(kThreads)
    csr_vector(sparse::CsrView a, double alpha, const double* x, double beta, double* y) {
  __shared__ double partial[kThreads];
  const Index row = Index{blockIdx.x} * kWarps + threadIdx.x / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= a.rows) return;  // a whole warp
  double* mine = partial + threadIdx.x;
  double sum = 0;
  for (Index k = a.offsets[row] + lane; k < a.offsets[row + 1]; k += 32)
    sum += a.value[k] * x[a.column[k]];
  *mine = sum;
  for (int distance = 16; distance > 0; distance /= 2) {
    __syncwarp();
    if (lane < distance) *mine += mine[distance];
  }
  if (lane == 0) y[row] = finish(alpha, *mine, beta, y + row);
}

using Launch = void (*)(sparse::CsrView, double, const double*, double, double*);

Kernel csr_kernel(std::string name, Launch kernel, Index rows_per_block) {
  return {.name = std::move(name),
          .backend = base::BackendKind::cuda,
          .obstacle = one_vector_only,
          .prepare = [=](const Workload& matrix, const base::Backend& backend, int) {
            const auto csr = matrix.csr_on(backend);
            return prepared(csr->memory().held, [=](double alpha, base::ConstBlock x, double beta,
                                                    base::Block y) {
              if (y.rows == 0) return;
              const auto blocks =
                  static_cast<unsigned>((y.rows + rows_per_block - 1) / rows_per_block);
              kernel<<<blocks, kThreads, 0, backend.device().stream()>>>(csr->view(), alpha, x.data,
                                                                         beta, y.data);
              base::cuda::check_launch("csr_rows");
            });
          }};
}

}  // namespace

std::vector<Kernel> csr_row_kernels() {
  return {csr_kernel("cuda/csr-scalar", csr_scalar, kThreads),
          csr_kernel("cuda/csr-vector", csr_vector, kWarps)};
}

}  // namespace cisolve::bench
