#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/cuda/context.hpp"
#include "base/stopwatch.hpp"
#include "bench/diagonal/rivals.hpp"

// cuSPARSE SpGEMM: time of each algorithm from the matrices to the product, and with reused
// structure the time for new values.
namespace cisolve::bench {
namespace {

struct Failure {
  std::string why;
};

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Failure{base::concat(call, ": ", cusparseGetErrorString(status))};
}

/// Device memory outside the budgets, since another library's needs are not limited here.
class Buffer {
 public:
  void* resize(std::size_t bytes) {
    if (cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)) != cudaSuccess) {
      cudaGetLastError();
      throw Failure{base::concat("no device memory for ", bytes, " bytes")};
    }
    return data_;
  }
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

 private:
  void* data_ = nullptr;
};

struct Matrix {
  base::Array<std::int32_t> offsets;
  base::Array<base::Column> columns;
  base::Array<double> values;
  cusparseSpMatDescr_t description = nullptr;

  Matrix(const sparse::Csr& csr, const base::Backend& device)
      : offsets(device, csr.offsets.size(), "offsets"),
        columns(csr.columns.to(device)),
        values(csr.values.to(device)) {
    std::vector<std::int32_t> offsets_32(csr.offsets.span().begin(), csr.offsets.span().end());
    offsets = base::Array<std::int32_t>::copy_of(offsets_32, device, "offsets");
    check(cusparseCreateCsr(&description, csr.shape.rows, csr.shape.columns, csr.nonzeros(),
                            offsets.data(), columns.data(), values.data(), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateCsr");
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { cusparseDestroySpMat(description); }
};

constexpr Index kNone = INT64_MIN;  // marks that no diagonal has this number
constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// One product from scratch, or with reused structure.
class Product {
 public:
  Product(cusparseHandle_t handle, const Matrix& a, const Matrix& b, cusparseSpGEMMAlg_t algorithm)
      : handle_(handle), a_(a), b_(b), algorithm_(algorithm) {
    check(cusparseSpGEMM_createDescr(&plan_), "createDescr");
    std::int64_t ignored = 0;
    check(cusparseSpMatGetSize(a.description, &rows_, &ignored, &ignored), "size");
    check(cusparseSpMatGetSize(b.description, &ignored, &columns_, &ignored), "size");
    offsets_ = static_cast<std::int32_t*>(buffers_[5].resize((rows_ + 1) * 4));
    check(cusparseCreateCsr(&c_, rows_, columns_, 0, offsets_, nullptr, nullptr, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateCsr");
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    cusparseSpGEMM_destroyDescr(plan_);
    cusparseDestroySpMat(c_);
  }

  void run() {
    std::size_t size = 0;
    const auto estimate = [&](void* buffer) {
      check(cusparseSpGEMM_workEstimation(handle_, kPlain, kPlain, &one_, a_.description,
                                          b_.description, &zero_, c_, CUDA_R_64F, algorithm_, plan_,
                                          &size, buffer),
            "SpGEMM_workEstimation");
    };
    estimate(nullptr);
    estimate(buffers_[0].resize(size));
    if (algorithm_ == CUSPARSE_SPGEMM_ALG2 || algorithm_ == CUSPARSE_SPGEMM_ALG3) {
      std::size_t more = 0;
      const auto memory = [&](std::size_t* first, void* buffer, std::size_t* second) {
        check(cusparseSpGEMM_estimateMemory(handle_, kPlain, kPlain, &one_, a_.description,
                                            b_.description, &zero_, c_, CUDA_R_64F, algorithm_,
                                            plan_, 0.2F, first, buffer, second),
              "SpGEMM_estimateMemory");
      };
      memory(&more, nullptr, nullptr);
      memory(&more, buffers_[1].resize(more), &size);
    } else {
      compute(size, nullptr);
    }
    compute(size, buffers_[2].resize(size));
    allocate();
    check(cusparseSpGEMM_copy(handle_, kPlain, kPlain, &one_, a_.description, b_.description,
                              &zero_, c_, CUDA_R_64F, algorithm_, plan_),
          "SpGEMM_copy");
    check_done();
  }

  void prepare_reuse() {
    std::size_t size = 0;
    const auto estimate = [&](void* buffer) {
      check(cusparseSpGEMMreuse_workEstimation(handle_, kPlain, kPlain, a_.description,
                                               b_.description, c_, CUSPARSE_SPGEMM_DEFAULT, plan_,
                                               &size, buffer),
            "SpGEMMreuse_workEstimation");
    };
    estimate(nullptr);
    estimate(buffers_[0].resize(size));
    std::size_t sizes[3] = {};
    const auto count = [&](void* first, void* second, void* third) {
      check(cusparseSpGEMMreuse_nnz(handle_, kPlain, kPlain, a_.description, b_.description, c_,
                                    CUSPARSE_SPGEMM_DEFAULT, plan_, &sizes[0], first, &sizes[1],
                                    second, &sizes[2], third),
            "SpGEMMreuse_nnz");
    };
    count(nullptr, nullptr, nullptr);
    void* first = buffers_[1].resize(sizes[0]);
    void* second = buffers_[2].resize(sizes[1]);
    count(first, second, buffers_[6].resize(sizes[2]));
    allocate();
    const auto copy = [&](void* buffer) {
      check(cusparseSpGEMMreuse_copy(handle_, kPlain, kPlain, a_.description, b_.description, c_,
                                     CUSPARSE_SPGEMM_DEFAULT, plan_, &size, buffer),
            "SpGEMMreuse_copy");
    };
    copy(nullptr);
    copy(buffers_[7].resize(size));
    check_done();
  }

  void reuse() {
    check(
        cusparseSpGEMMreuse_compute(handle_, kPlain, kPlain, &one_, a_.description, b_.description,
                                    &zero_, c_, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, plan_),
        "SpGEMMreuse_compute");
    check_done();
  }

  /// The largest difference relative to the largest element, including elements at unexpected
  /// positions.
  double error(const sparse::Diagonal& expected) const {
    std::vector<std::int32_t> offsets(rows_ + 1);
    std::vector<std::int32_t> columns(nonzeros_);
    std::vector<double> values(nonzeros_);
    cudaMemcpy(offsets.data(), offsets_, offsets.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(columns.data(), columns_of_, columns.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(values.data(), values_, values.size() * 8, cudaMemcpyDeviceToHost);
    std::vector<Index> bases(rows_ + columns_, kNone);
    for (const auto& [base, shift] : expected.terms.span()) bases[shift + rows_ - 1] = base;
    double largest = 0;
    double worst = 0;
#pragma omp parallel for reduction(max : largest, worst)
    for (Index row = 0; row < rows_; ++row)
      for (Index k = offsets[row]; k < offsets[row + 1]; ++k) {
        const Index shift = columns[k] - row;
        const Index base = shift > -rows_ && shift < columns_ ? bases[shift + rows_ - 1] : kNone;
        const bool is_there = columns[k] >= 0 && base != kNone;
        const double value = is_there ? expected.values[base + row] : 1e300;
        largest = std::max(largest, std::abs(values[k]));
        worst = std::max(worst, std::abs(values[k] - value));
      }
    return nonzeros_ < expected.elements ? 1e300 : worst / largest;
  }

 private:
  static void check_done() {
    const cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) throw Failure{cudaGetErrorString(status)};
  }
  void compute(std::size_t& size, void* buffer) {
    check(cusparseSpGEMM_compute(handle_, kPlain, kPlain, &one_, a_.description, b_.description,
                                 &zero_, c_, CUDA_R_64F, algorithm_, plan_, &size, buffer),
          "SpGEMM_compute");
  }
  void allocate() {
    std::int64_t ignored = 0;
    check(cusparseSpMatGetSize(c_, &ignored, &ignored, &nonzeros_), "size");
    columns_of_ = static_cast<std::int32_t*>(buffers_[3].resize(nonzeros_ * 4));
    values_ = static_cast<double*>(buffers_[4].resize(nonzeros_ * 8));
    check(cusparseCsrSetPointers(c_, offsets_, columns_of_, values_), "CsrSetPointers");
  }

  cusparseHandle_t handle_;
  const Matrix& a_;
  const Matrix& b_;
  cusparseSpGEMMAlg_t algorithm_;
  cusparseSpGEMMDescr_t plan_ = nullptr;
  cusparseSpMatDescr_t c_ = nullptr;
  Buffer buffers_[8];
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t nonzeros_ = 0;
  std::int32_t* offsets_ = nullptr;
  std::int32_t* columns_of_ = nullptr;
  double* values_ = nullptr;
  double one_ = 1;
  double zero_ = 0;
};

template <class Work>
Measured guarded(std::string name, Work&& work) {
  Measured measured{.name = std::move(name)};
  try {
    work(measured);
  } catch (const Failure& failure) {
    measured.failed = failure.why;
  }
  return measured;
}

}  // namespace

std::vector<Measured> cusparse_products(const sparse::Csr& a_rows, const sparse::Csr& b_rows,
                                        const base::Backend& device,
                                        const sparse::Diagonal& expected) {
  cusparseHandle_t handle = nullptr;
  check(cusparseCreate(&handle), "cusparseCreate");
  const Matrix a(a_rows, device);
  const Matrix b(b_rows, device);
  const std::pair<const char*, cusparseSpGEMMAlg_t> algorithms[] = {
      {"default", CUSPARSE_SPGEMM_DEFAULT},
      {"ALG1", CUSPARSE_SPGEMM_ALG1},
      {"ALG2", CUSPARSE_SPGEMM_ALG2},
      {"ALG3", CUSPARSE_SPGEMM_ALG3}};
  std::vector<Measured> list;
  for (const auto& [name, algorithm] : algorithms)
    list.push_back(
        guarded(base::concat("cuSPARSE ", name), [&, algorithm = algorithm](Measured& measured) {
          measured.seconds = 1e9;
          for (int run = 0; run < 2; ++run) {
            Product product(handle, a, b, algorithm);
            const base::Stopwatch watch;
            product.run();
            measured.seconds = std::min(measured.seconds, watch.seconds());
            if (run == 0) measured.error = product.error(expected);
          }
        }));
  list.push_back(guarded("cuSPARSE reuse", [&](Measured& measured) {
    Product product(handle, a, b, CUSPARSE_SPGEMM_DEFAULT);
    const base::Stopwatch watch;
    product.prepare_reuse();
    product.reuse();
    measured.seconds = watch.seconds();
    measured.value_seconds = 1e9;
    for (int run = 0; run < 3; ++run) {
      const base::Stopwatch values;
      product.reuse();
      measured.value_seconds = std::min(measured.value_seconds, values.seconds());
    }
    measured.error = product.error(expected);
  }));
  cusparseDestroy(handle);
  return list;
}

}  // namespace cisolve::bench
