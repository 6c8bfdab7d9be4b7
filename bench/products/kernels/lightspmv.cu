#include <algorithm>
#include <cmath>

#include "base/cuda/context.hpp"
#include "base/cuda/elements.cuh"
#include "bench/products/kernel.hpp"

// LightSpMV's CSR product (Liu, Gonzalez-Dominguez and Schmidt 2015): a grid that just fills the
// device; groups of 2, 4, 8 or 32 threads ("vectors") fetch rows from a counter until none is left,
// each for itself, or a warp for all of its groups at once. In double and in single precision.
namespace cisolve::bench {
namespace {

using base::Array;
using base::cuda::check;

constexpr int kThreads = 1024;

template <class Real>
struct Rows {
  Index rows;
  const Index* offsets;
  const Column* column;
  const Real* value;
};

__device__ unsigned mask_of_vector(int vector_size) {
  const unsigned lanes = vector_size == 32 ? 0xffffffffU : (1U << vector_size) - 1;
  const unsigned lane = threadIdx.x % 32;
  return lanes << (lane / vector_size * vector_size);
}

/// The next row of this thread's group. If a warp's groups take consecutive rows, the first is
/// fetched once for all; then all of its lanes must call this together.
template <int VectorSize, bool OfWarp>
__device__ Index next_row(unsigned long long* counter) {
  constexpr int kShared = OfWarp ? 32 : VectorSize;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned long long row = 0;
  if (lane % kShared == 0) row = atomicAdd(counter, OfWarp ? 32ULL / VectorSize : 1ULL);
  row = __shfl_sync(OfWarp ? 0xffffffffU : mask_of_vector(VectorSize), row, 0, kShared);
  if constexpr (OfWarp) row += lane / VectorSize;
  return static_cast<Index>(row);
}

template <class Real, int VectorSize>
__device__ Real row_sum(const Rows<Real>& a, Index row, const Real* x) {
  const int lane = static_cast<int>(threadIdx.x) % VectorSize;
  const Index begin = a.offsets[row];
  const Index end = a.offsets[row + 1];
  Real sum = 0;
  if constexpr (VectorSize == 32) {
    // the first step begins at a multiple of the group size, so that later ones are aligned
    Index k = begin - begin % VectorSize + lane;
    if (k >= begin && k < end) sum += a.value[k] * __ldg(x + a.column[k]);
    for (k += VectorSize; k < end; k += VectorSize) sum += a.value[k] * __ldg(x + a.column[k]);
  } else {
    for (Index k = begin + lane; k < end; k += VectorSize)
      sum += a.value[k] * __ldg(x + a.column[k]);
  }
  return sum;
}

template <class Real, int VectorSize, bool OfWarp>
__global__ void __launch_bounds__(kThreads, 2)
    dynamic_rows(Rows<Real> a, Real alpha, const Real* x, Real beta, Real* y,
                 unsigned long long* counter) {
  const unsigned mask = mask_of_vector(VectorSize);
  const Index lead = OfWarp ? threadIdx.x % 32 / VectorSize : 0;  // rows after the warp's first
  for (Index row = next_row<VectorSize, OfWarp>(counter); row - lead < a.rows;
       row = next_row<VectorSize, OfWarp>(counter)) {
    if (row < a.rows) {
      Real sum = row_sum<Real, VectorSize>(a, row, x);
#pragma unroll
      for (int distance = VectorSize / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(mask, sum, distance, VectorSize);
      if (threadIdx.x % VectorSize == 0)
        y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
    }
    if constexpr (OfWarp) __syncwarp();
  }
}

template <class Real>
using Launch = void (*)(Rows<Real>, Real, const Real*, Real, Real*, unsigned long long*);

/// Group size by mean row length, as in LightSpMV's driver.
template <class Real, bool OfWarp>
Launch<Real> chosen_launch(double mean_row) {
  const double mean = std::rint(mean_row);
  if (mean < 2) return dynamic_rows<Real, 2, OfWarp>;
  if (mean < 4) return dynamic_rows<Real, 4, OfWarp>;
  if (mean < 64) return dynamic_rows<Real, 8, OfWarp>;
  return dynamic_rows<Real, 32, OfWarp>;
}

unsigned filling_grid() {
  int device = 0;
  int processors = 0;
  int threads = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device),
        "cudaDeviceGetAttribute");
  return static_cast<unsigned>(processors * std::max(1, threads / kThreads));
}

template <class Real>
void launch_rows(const base::Backend& backend, Launch<Real> launch, unsigned grid,
                 const Rows<Real>& a, double alpha, const Real* x, double beta, Real* y,
                 unsigned long long* counter) {
  const cudaStream_t stream = backend.device().stream();
  check(cudaMemsetAsync(counter, 0, sizeof(*counter), stream), "cudaMemsetAsync");
  launch<<<grid, kThreads, 0, stream>>>(a, static_cast<Real>(alpha), x, static_cast<Real>(beta), y,
                                        counter);
  base::cuda::check_launch("dynamic_rows");
}

template <class To, class From>
void convert(const base::Backend& backend, const From* from, To* to, Index size) {
  base::cuda::launch_elements(backend, size, 1,
                              [=] __device__(Index i, int) { to[i] = static_cast<To>(from[i]); });
}

class SingleProduct final : public PreparedMatrix {
 public:
  SingleProduct(const Workload& matrix, const base::Backend& backend, Launch<float> launch)
      : backend_(backend),
        csr_(matrix.csr_on(backend)),
        values_(backend, matrix.nonzeros(), "values in single precision"),
        x_(backend, matrix.columns(), "x in single precision"),
        y_(backend, matrix.rows(), "y in single precision"),
        counter_(backend, 1, "the counter of rows"),
        launch_(launch),
        grid_(filling_grid()) {
    convert(backend, csr_->values.data(), values_.data(), values_.size());
  }

  Index bytes() const override {
    return csr_->offsets.bytes() + csr_->columns.bytes() + values_.bytes();
  }
  void load(base::ConstBlock x, base::ConstBlock y) override {
    convert(backend_, x.data, x_.data(), x_.size());
    convert(backend_, y.data, y_.data(), y_.size());
  }
  void multiply(double alpha, base::ConstBlock /*x*/, double beta, base::Block /*y*/) override {
    const Rows<float> a{csr_->shape.rows, csr_->offsets.data(), csr_->columns.data(),
                        values_.data()};
    launch_rows<float>(backend_, launch_, grid_, a, alpha, x_.data(), beta, y_.data(),
                       counter_.data());
  }
  void store(base::Block y) override { convert(backend_, y_.data(), y.data, y_.size()); }

 private:
  base::Backend backend_;
  std::shared_ptr<const sparse::Csr> csr_;
  Array<float> values_;
  Array<float> x_;
  Array<float> y_;
  Array<unsigned long long> counter_;
  Launch<float> launch_;
  unsigned grid_;
};

template <bool OfWarp>
Kernel double_kernel(std::string name) {
  return {.name = std::move(name),
          .backend = base::BackendKind::cuda,
          .obstacle = one_vector_only,
          .prepare = [](const Workload& matrix, const base::Backend& backend, int) {
            const auto csr = matrix.csr_on(backend);
            Array<unsigned long long> counter(backend, 1, "the counter of rows");
            const Launch<double> launch = chosen_launch<double, OfWarp>(matrix.mean_row());
            return prepared(
                csr->memory().held,
                [=, grid = filling_grid(), counter = std::move(counter)](
                    double alpha, base::ConstBlock x, double beta, base::Block y) mutable {
                  const Rows<double> a{csr->shape.rows, csr->offsets.data(), csr->columns.data(),
                                       csr->values.data()};
                  launch_rows<double>(backend, launch, grid, a, alpha, x.data, beta, y.data,
                                      counter.data());
                });
          }};
}

template <bool OfWarp>
Kernel single_kernel(std::string name) {
  return {.name = std::move(name),
          .backend = base::BackendKind::cuda,
          .precision = Precision::single_precision,
          .obstacle = one_vector_only,
          .prepare = [](const Workload& matrix, const base::Backend& backend, int) {
            return std::make_unique<SingleProduct>(matrix, backend,
                                                   chosen_launch<float, OfWarp>(matrix.mean_row()));
          }};
}

}  // namespace

std::vector<Kernel> lightspmv_kernels() {
  return {double_kernel<false>("cuda/lightspmv-vector"), double_kernel<true>("cuda/lightspmv-warp"),
          single_kernel<false>("cuda/lightspmv-vector-single"),
          single_kernel<true>("cuda/lightspmv-warp-single")};
}

}  // namespace cisolve::bench
