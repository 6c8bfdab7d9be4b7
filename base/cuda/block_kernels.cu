#include "base/block_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "base/array.hpp"
#include "base/cuda/elements.cuh"
#include "base/cuda/small_transfers.cuh"
#include "base/cuda/tall_products.cuh"
#include "base/error.hpp"
#include "base/random.hpp"

// Elementwise operations use one grid-stride kernel; products with small matrices use own kernels
// if memory-bound, and cuBLAS if compute-bound; sums have a fixed order, without atomics.
namespace cisolve::base::cuda {
namespace {

constexpr int kThreads = 256;
/// Most blocks; depends on the shape only, as does the order of sums.
constexpr int kSumBlocks = 512;

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
  for (Index i = first_of_thread(); i < x.rows; i += all_threads()) sum += column[i] * column[i];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

__global__ void add_partial_norms(const double* partial, int blocks, double* norms) {
  const double* mine = partial + Index{blockIdx.x} * blocks;
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < blocks; i += kThreads) sum += mine[i];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) norms[blockIdx.x] = sum;
}

double* scratch_doubles(const Backend& backend, Index count) {
  return static_cast<double*>(backend.scratch(count * Index{sizeof(double)}));
}

/// Copies small host data for a kernel, in stream order; the source may be reused on return.
const double* upload(const Backend& backend, std::span<const double> values) {
  double* target = scratch_doubles(backend, std::ssize(values));
  check(cudaMemcpyAsync(target, values.data(), values.size_bytes(), cudaMemcpyHostToDevice,
                        backend.device().stream()),
        "cudaMemcpyAsync");
  return target;
}

/// Calls launch(numbers), with numbers as a kernel argument if few, else in memory.
template <int kMost, class Launch>
void launch_with(const Backend& backend, std::span<const double> values, Launch launch) {
  if (std::ssize(values) <= kMost) return launch(KernelArray<double, kMost>(values));
  launch(upload(backend, values));
}

// Largest numbers passed as kernel arguments.
constexpr int kMostFactors = 32;
constexpr int kMostCoefficients = 256;

template <class Numbers>
struct Scale {
  Numbers factor;
  Block y;
  __device__ void operator()(Index i, int j) const { y(i, j) *= factor[j]; }
};

template <class Numbers>
struct AddScaled {
  Numbers factor;
  ConstBlock x;
  Block y;
  __device__ void operator()(Index i, int j) const { y(i, j) += factor[j] * x(i, j); }
};

template <class Numbers>
struct ScaleToSingle {
  Numbers factor;
  ConstBlock x;
  SingleBlock y;
  __device__ void operator()(Index i, int j) const {
    y(i, j) = static_cast<float>(factor[j] * x(i, j));
  }
};

constexpr int kWidestTallBasis = 512;  // coefficients for 8 columns fit in shared memory

// Bases of more than 16 columns are multiplied in groups of 16. With one column of y, these kernels
// keep up with cuBLAS for bases of up to 128 columns, and with few rows they are faster; so the
// solution of one state never loads cuBLAS.
constexpr Index kFewRows = Index{1} << 18;
constexpr int kMostColumnsInGroups = 128;

bool is_narrow_gram(ConstBlock x, ConstBlock y) {
  const bool takes_groups_of_columns = y.columns == 1 || x.rows <= kFewRows;
  return y.columns <= 4 && x.columns <= (takes_groups_of_columns ? kMostColumnsInGroups : 16);
}

template <int Rows, int Width, class X>
void narrow_gram(const Backend& backend, BasicBlock<const X> x, ConstBlock y, SmallMatrix& g) {
  const TallGram<Rows, Width> tall(x.rows, x.columns);
  const PinnedResults results(backend, std::ssize(g.values()), tall.partials());
  tall.launch(x, y, results.scratch(), results.numbers(), backend.device().stream());
  results.take(g.values());
}

template <int Rows, class X>
void narrow_gram(const Backend& backend, BasicBlock<const X> x, ConstBlock y, SmallMatrix& g) {
  if (y.columns == 1) return narrow_gram<Rows, 1>(backend, x, y, g);
  narrow_gram<Rows, 4>(backend, x, y, g);
}

/// Computes g = x^T y for up to 4 columns of y.
template <class X>
void narrow_gram(const Backend& backend, BasicBlock<const X> x, ConstBlock y, SmallMatrix& g) {
  if (x.columns <= 4) return narrow_gram<4>(backend, x, y, g);
  if (x.columns <= 8) return narrow_gram<8>(backend, x, y, g);
  narrow_gram<16>(backend, x, y, g);
}

/// Computes g = x^T y in tiles of up to `most` columns of x and 4 of y.
template <class X>
void gram_by_parts(const Backend& backend, BasicBlock<const X> x, ConstBlock y, int most,
                   SmallMatrix& g) {
  for (int b = 0; b < y.columns; b += 4)
    for (int a = 0; a < x.columns; a += most) {
      SmallMatrix part(std::min(most, x.columns - a), std::min(4, y.columns - b));
      narrow_gram(backend, x.slice(a, part.rows()), y.slice(b, part.columns()), part);
      for (int j = 0; j < part.columns(); ++j)
        for (int i = 0; i < part.rows(); ++i) g(a + i, b + j) = part(i, j);
    }
}

/// Computes y = alpha x c + beta y for up to 24 columns of y.
template <class X, class Numbers>
void narrow_update(const Backend& backend, double alpha, BasicBlock<const X> x,
                   const Numbers& coefficients, double beta, Block y) {
  const cudaStream_t stream = backend.device().stream();
  if (y.columns == 1)
    launch_tall_update<1>(alpha, x, coefficients, beta, y, stream);
  else if (y.columns == 2)
    launch_tall_update<2>(alpha, x, coefficients, beta, y, stream);
  else if (y.columns <= 4)
    launch_tall_update<4>(alpha, x, coefficients, beta, y, stream);
  else if (y.columns <= 8)
    launch_tall_update<8>(alpha, x, coefficients, beta, y, stream);
  else
    launch_tall_update<24>(alpha, x, coefficients, beta, y, stream);
}

template <class X>
void narrow_update(const Backend& backend, double alpha, BasicBlock<const X> x,
                   const SmallMatrix& c, double beta, Block y) {
  launch_with<kMostCoefficients>(backend, c.values(), [&](const auto& coefficients) {
    narrow_update(backend, alpha, x, coefficients, beta, y);
  });
}

/// Block of c: rows from `first` on, columns from `at` on.
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
    launch_with<kMostFactors>(backend, factors, [&](const auto& factor) {
      launch_elements(backend, y.rows, y.columns, Scale{factor, y});
    });
  }

  void axpy(const Backend& backend, std::span<const double> factors, ConstBlock x,
            Block y) const override {
    require_same_shape(x, y);
    launch_with<kMostFactors>(backend, factors, [&](const auto& factor) {
      launch_elements(backend, y.rows, y.columns, AddScaled{factor, x, y});
    });
  }

  void gram(const Backend& backend, ConstBlock x, ConstBlock y, SmallMatrix& g) const override {
    if (g.values().empty()) return;
    if (x.rows == 0) {
      std::ranges::fill(g.values(), 0.0);
      return;
    }
    if (is_narrow_gram(x, y)) return narrow_gram(backend, x, y, g);
    if (x.rows <= kFewRows && x.columns <= kMostColumnsInGroups && y.columns <= 24)
      return gram_by_parts(backend, x, y, kMostColumnsInGroups, g);
    const Index count = std::ssize(g.values());
    double* result = scratch_doubles(backend, count);
    backend.device().blas().gemm(true, x.columns, y.columns, x.rows, 1, {x.data, x.stride},
                                 {y.data, y.stride}, 0, result, x.columns);
    copy_to_host(backend.device(), g.values().data(), result, count * Index{sizeof(double)});
  }

  void update(const Backend& backend, double alpha, ConstBlock x, const SmallMatrix& c, double beta,
              Block y) const override {
    if (y.rows == 0 || y.columns == 0) return;
    if (x.columns == 0) return scale_or_clear(backend, beta, y);
    const bool is_narrow = y.columns <= 8 && x.columns <= kWidestTallBasis;
    if (is_narrow || (y.columns <= 24 && x.columns <= kMostColumnsInGroups))
      return narrow_update(backend, alpha, x, c, beta, y);
    const double* coefficients = upload(backend, c.values());
    backend.device().blas().gemm(false, y.rows, y.columns, x.columns, alpha, {x.data, x.stride},
                                 {coefficients, c.rows()}, beta, y.data, y.stride);
  }

  /// Works on parts that suit these kernels, since cuBLAS has no such product.
  void gram(const Backend& backend, ConstSingleBlock x, ConstBlock y,
            SmallMatrix& g) const override {
    if (x.rows == 0) std::ranges::fill(g.values(), 0.0);
    if (x.rows == 0) return;
    gram_by_parts(backend, x, y, 16, g);
  }

  void update(const Backend& backend, double alpha, ConstSingleBlock x, const SmallMatrix& c,
              double beta, Block y) const override {
    if (y.rows == 0 || y.columns == 0) return;
    if (x.columns == 0) return scale_or_clear(backend, beta, y);
    for (int b = 0; b < y.columns; b += 8)
      for (int a = 0; a < x.columns; a += kWidestTallBasis) {
        const int width = std::min(8, y.columns - b);
        const int some = std::min(kWidestTallBasis, x.columns - a);
        narrow_update(backend, alpha, x.slice(a, some), part_of(c, a, some, b, width),
                      a == 0 ? beta : 1, y.slice(b, width));
      }
  }

  void scale_to_single(const Backend& backend, std::span<const double> factors, ConstBlock x,
                       SingleBlock y) const override {
    launch_with<kMostFactors>(backend, factors, [&](const auto& factor) {
      launch_elements(backend, y.rows, y.columns, ScaleToSingle{factor, x, y});
    });
  }

  void round_to_single(const Backend& backend, Block y) const override {
    launch_elements(backend, y.rows, y.columns,
                    [=] __device__(Index i, int j) { y(i, j) = static_cast<float>(y(i, j)); });
  }

  void squared_norms(const Backend& backend, ConstBlock x, std::span<double> norms) const override {
    if (x.columns == 0) return;
    const int blocks = static_cast<int>(std::min<Index>(grid_for(x.rows), kSumBlocks));
    const PinnedResults results(backend, x.columns, Index{x.columns} * blocks);
    const auto columns = static_cast<unsigned>(x.columns);
    const cudaStream_t stream = backend.device().stream();
    partial_norms<<<dim3(static_cast<unsigned>(blocks), columns), kThreads, 0, stream>>>(
        x, results.scratch());
    check_launch("partial_norms");
    add_partial_norms<<<columns, kThreads, 0, stream>>>(results.scratch(), blocks,
                                                        results.numbers());
    check_launch("add_partial_norms");
    results.take(norms);
  }
};

}  // namespace

const BlockKernels& block_kernels() {
  static const CudaKernels kernels;
  return kernels;
}

}  // namespace cisolve::base::cuda
