#include "base/block_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "base/array.hpp"
#include "base/cuda/elements.cuh"
#include "base/cuda/tall_products.cuh"
#include "base/error.hpp"
#include "base/random.hpp"

// Elementwise operations are one grid-stride kernel; products with small matrices go to kernels of
// our own where memory bounds them, and to cuBLAS where arithmetic does; sums are taken in a fixed
// order, without atomics.
namespace cisolve::base::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kSumBlocks = 512;  // fixed, so that the order of the sum is

__device__ double sum_over_block(double value) {
  __shared__ double partial[kThreads];
  partial[threadIdx.x] = value;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  __syncthreads();
  return partial[0];
}

__global__ void partial_norms(ConstBlock x, double* partial) {
  const double* column = x.column(static_cast<int>(blockIdx.y));
  double sum = 0;
  for (Index i = Index{blockIdx.x} * kThreads + threadIdx.x; i < x.rows;
       i += Index{kThreads} * kSumBlocks)
    sum += column[i] * column[i];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) partial[blockIdx.y * kSumBlocks + blockIdx.x] = sum;
}

__global__ void add_partial_norms(const double* partial, double* norms) {
  const double* mine = partial + Index{blockIdx.x} * kSumBlocks;
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kSumBlocks; i += kThreads) sum += mine[i];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) norms[blockIdx.x] = sum;
}

double* scratch_doubles(const Backend& backend, Index count) {
  return static_cast<double*>(backend.scratch(count * Index{sizeof(double)}));
}

/// Small host data that a kernel reads. The copy is ordered before the kernel on the stream and
/// has left the caller's memory when this returns.
const double* upload(const Backend& backend, std::span<const double> values) {
  double* target = scratch_doubles(backend, std::ssize(values));
  check(cudaMemcpyAsync(target, values.data(), values.size_bytes(), cudaMemcpyHostToDevice,
                        backend.device().stream()),
        "cudaMemcpyAsync");
  return target;
}

void download(const Backend& backend, std::span<double> values, const double* source) {
  copy_to_host(backend.device(), values.data(), source, std::ssize(values) * Index{sizeof(double)});
}

constexpr int kWidestTallBasis = 512;  // whose coefficients for 8 columns fit in shared memory

/// Of up to 16 columns of x and 4 of y.
template <class X>
void narrow_gram(const Backend& backend, BasicBlock<const X> x, ConstBlock y, SmallMatrix& g) {
  double* result = scratch_doubles(backend, std::ssize(g.values()) + kTallPartials<16, 4>);
  double* partial = result + g.values().size();
  const cudaStream_t stream = backend.device().stream();
  if (x.columns <= 4)
    launch_tall_gram<4, 4>(x, y, partial, result, stream);
  else if (x.columns <= 8)
    launch_tall_gram<8, 4>(x, y, partial, result, stream);
  else
    launch_tall_gram<16, 4>(x, y, partial, result, stream);
  download(backend, g.values(), result);
}

/// Of up to 8 columns of y; false where it is not for these kernels.
template <class X>
bool narrow_update(const Backend& backend, double alpha, BasicBlock<const X> x,
                   const double* coefficients, double beta, Block y) {
  if (x.columns > kWidestTallBasis || y.columns > 8) return false;
  const cudaStream_t stream = backend.device().stream();
  if (y.columns == 1)
    launch_tall_update<1>(alpha, x, coefficients, beta, y, stream);
  else if (y.columns == 2)
    launch_tall_update<2>(alpha, x, coefficients, beta, y, stream);
  else if (y.columns <= 4)
    launch_tall_update<4>(alpha, x, coefficients, beta, y, stream);
  else
    launch_tall_update<8>(alpha, x, coefficients, beta, y, stream);
  return true;
}

/// Rows first to first + rows of columns at to at + columns.
SmallMatrix part_of(const SmallMatrix& c, int first, int rows, int at, int columns) {
  SmallMatrix part(rows, columns);
  for (int b = 0; b < columns; ++b)
    for (int a = 0; a < rows; ++a) part(a, b) = c(first + a, at + b);
  return part;
}

void scale_or_clear(const Backend& backend, double beta, Block y) {
  launch_elements(backend, y.rows, y.columns,
                  [=] __device__(Index i, int j) { y(i, j) = beta == 0 ? 0 : beta * y(i, j); });
}

class CudaKernels final : public BlockKernels {
 public:
  void fill(const Backend& backend, double value, Block y) const override {
    launch_elements(backend, y.rows, y.columns,
                    [=] __device__(Index i, int j) { y(i, j) = value; });
  }

  using BlockKernels::randomise;
  void randomise(const Backend& backend, std::uint64_t seed, Index first_row,
                 Block y) const override {
    launch_elements(backend, y.rows, y.columns, [=] __device__(Index i, int j) {
      y(i, j) = symmetric_interval(
          mix(mix(seed, static_cast<std::uint64_t>(j)), static_cast<std::uint64_t>(first_row + i)));
    });
  }

  void copy(const Backend& backend, ConstBlock x, Block y) const override {
    require_same_shape(x, y);
    for (int j = 0; j < y.columns; ++j)
      check(cudaMemcpyAsync(y.column(j), x.column(j), y.rows * sizeof(double),
                            cudaMemcpyDeviceToDevice, backend.device().stream()),
            "cudaMemcpyAsync");
  }

  void scale(const Backend& backend, std::span<const double> factors, Block y) const override {
    const double* factor = upload(backend, factors);
    launch_elements(backend, y.rows, y.columns,
                    [=] __device__(Index i, int j) { y(i, j) *= factor[j]; });
  }

  void axpy(const Backend& backend, std::span<const double> factors, ConstBlock x,
            Block y) const override {
    require_same_shape(x, y);
    const double* factor = upload(backend, factors);
    launch_elements(backend, y.rows, y.columns,
                    [=] __device__(Index i, int j) { y(i, j) += factor[j] * x(i, j); });
  }

  void gram(const Backend& backend, ConstBlock x, ConstBlock y, SmallMatrix& g) const override {
    if (g.values().empty()) return;
    if (x.rows == 0) {
      std::ranges::fill(g.values(), 0.0);
      return;
    }
    if (y.columns <= 4 && x.columns <= 16) return narrow_gram(backend, x, y, g);
    double* result = scratch_doubles(backend, std::ssize(g.values()));
    backend.device().blas().gemm(true, x.columns, y.columns, x.rows, 1, {x.data, x.stride},
                                 {y.data, y.stride}, 0, result, x.columns);
    download(backend, g.values(), result);
  }

  void update(const Backend& backend, double alpha, ConstBlock x, const SmallMatrix& c, double beta,
              Block y) const override {
    if (y.rows == 0 || y.columns == 0) return;
    if (x.columns == 0) return scale_or_clear(backend, beta, y);
    const double* coefficients = upload(backend, c.values());
    if (narrow_update(backend, alpha, x, coefficients, beta, y)) return;
    backend.device().blas().gemm(false, y.rows, y.columns, x.columns, alpha, {x.data, x.stride},
                                 {coefficients, c.rows()}, beta, y.data, y.stride);
  }

  /// By parts that suit these kernels, for there is no such product in cuBLAS.
  void gram(const Backend& backend, ConstSingleBlock x, ConstBlock y,
            SmallMatrix& g) const override {
    if (x.rows == 0) std::ranges::fill(g.values(), 0.0);
    if (x.rows == 0) return;
    for (int b = 0; b < y.columns; b += 4)
      for (int a = 0; a < x.columns; a += 16) {
        SmallMatrix part(std::min(16, x.columns - a), std::min(4, y.columns - b));
        narrow_gram(backend, x.slice(a, part.rows()), y.slice(b, part.columns()), part);
        for (int j = 0; j < part.columns(); ++j)
          for (int i = 0; i < part.rows(); ++i) g(a + i, b + j) = part(i, j);
      }
  }

  void update(const Backend& backend, double alpha, ConstSingleBlock x, const SmallMatrix& c,
              double beta, Block y) const override {
    if (y.rows == 0 || y.columns == 0) return;
    if (x.columns == 0) return scale_or_clear(backend, beta, y);
    for (int b = 0; b < y.columns; b += 8)
      for (int a = 0; a < x.columns; a += kWidestTallBasis) {
        const int width = std::min(8, y.columns - b);
        const int some = std::min(kWidestTallBasis, x.columns - a);
        const double* coefficients = upload(backend, part_of(c, a, some, b, width).values());
        narrow_update(backend, alpha, x.slice(a, some), coefficients, a == 0 ? beta : 1,
                      y.slice(b, width));
      }
  }

  void narrow(const Backend& backend, std::span<const double> factors, ConstBlock x,
              SingleBlock y) const override {
    const double* factor = upload(backend, factors);
    launch_elements(backend, y.rows, y.columns, [=] __device__(Index i, int j) {
      y(i, j) = static_cast<float>(factor[j] * x(i, j));
    });
  }

  void round_to_single(const Backend& backend, Block y) const override {
    launch_elements(backend, y.rows, y.columns,
                    [=] __device__(Index i, int j) { y(i, j) = static_cast<float>(y(i, j)); });
  }

  void squared_norms(const Backend& backend, ConstBlock x, std::span<double> norms) const override {
    if (x.columns == 0) return;
    double* partial = scratch_doubles(backend, Index{x.columns} * (kSumBlocks + 1));
    double* sums = partial + Index{x.columns} * kSumBlocks;
    const auto columns = static_cast<unsigned>(x.columns);
    const cudaStream_t stream = backend.device().stream();
    partial_norms<<<dim3(kSumBlocks, columns), kThreads, 0, stream>>>(x, partial);
    check_launch("partial_norms");
    add_partial_norms<<<columns, kThreads, 0, stream>>>(partial, sums);
    check_launch("add_partial_norms");
    download(backend, norms, sums);
  }
};

}  // namespace

const BlockKernels& block_kernels() {
  static const CudaKernels kernels;
  return kernels;
}

}  // namespace cisolve::base::cuda
