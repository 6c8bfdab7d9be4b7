#include <cmath>

#include "bench/products/kernels/cusparse.cuh"

// cuSPARSE products with one vector: CSR, coordinates, slices and blocks, each with the
// preprocessing that it offers.
namespace cisolve::bench {
namespace {

class CusparseProduct final : public PreparedMatrix {
 public:
  CusparseProduct(CusparseMatrix matrix, const Workload& shape, cusparseSpMVAlg_t algorithm,
                  const base::Backend& backend)
      : handle_(backend), matrix_(std::move(matrix)), algorithm_(algorithm), buffer_(work(0)) {
    base::Array<double> x(backend, shape.columns(), "a vector to prepare with");
    base::Array<double> y(backend, shape.rows(), "a vector to prepare with");
    describe(x.data(), x.size(), y.data(), y.size());
    const double one = 1;
    const double zero = 0;
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle_.get(), kAsIs, &one, matrix_.description.get(), x_.get(),
                                  &zero, y_.get(), CUDA_R_64F, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_ = work(static_cast<Index>(bytes));
    const cusparseStatus_t status =
        cusparseSpMV_preprocess(handle_.get(), kAsIs, &one, matrix_.description.get(), x_.get(),
                                &zero, y_.get(), CUDA_R_64F, algorithm_, buffer_.data());
    if (status != CUSPARSE_STATUS_NOT_SUPPORTED) check(status, "cusparseSpMV_preprocess");
    backend.synchronize();  // the vectors are about to be released
  }

  Index bytes() const override { return matrix_.bytes; }

  void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) override {
    describe(x.data, x.rows, y.data, y.rows);
    check(cusparseSpMV(handle_.get(), kAsIs, &alpha, matrix_.description.get(), x_.get(), &beta,
                       y_.get(), CUDA_R_64F, algorithm_, buffer_.data()),
          "cusparseSpMV");
  }

 private:
  static constexpr cusparseOperation_t kAsIs = CUSPARSE_OPERATION_NON_TRANSPOSE;

  base::Array<char> work(Index bytes) const {
    return base::Array<char>(matrix_.offsets.backend(), bytes, "the workspace of cuSPARSE");
  }

  /// Created with the first vectors; later ones of equal length only change the addresses.
  void describe(const double* x, Index x_size, double* y, Index y_size) {
    if (x_.get() == nullptr) {
      // x is only read: only the non-const description allows a change of address
      check(cusparseCreateDnVec(x_.out(), x_size, const_cast<double*>(x), CUDA_R_64F),
            "cusparseCreateDnVec");
      check(cusparseCreateDnVec(y_.out(), y_size, y, CUDA_R_64F), "cusparseCreateDnVec");
      return;
    }
    check(cusparseDnVecSetValues(x_.get(), const_cast<double*>(x)), "cusparseDnVecSetValues");
    check(cusparseDnVecSetValues(y_.get(), y), "cusparseDnVecSetValues");
  }

  CusparseHandle handle_;
  CusparseMatrix matrix_;
  cusparseSpMVAlg_t algorithm_;
  base::Array<char> buffer_;
  DescribedVector x_;
  DescribedVector y_;
};

using Build = std::function<CusparseMatrix(const Workload&, const base::Backend&)>;

std::string obstacle_for(const Workload& matrix, int vectors) {
  if (vectors != 1) return one_vector_only(matrix, vectors);
  if (matrix.nonzeros() == 0) return "has no elements, which cuSPARSE does not take";
  return too_long_for_cusparse(matrix);
}

Kernel vector_kernel(std::string name, cusparseSpMVAlg_t algorithm, Build build) {
  return {.name = std::move(name),
          .backend = base::BackendKind::cuda,
          .obstacle = obstacle_for,
          .prepare = [=](const Workload& matrix, const base::Backend& backend, int) {
            return std::make_unique<CusparseProduct>(build(matrix, backend), matrix, algorithm,
                                                     backend);
          }};
}

Kernel block_format_kernel(Index size) {
  Kernel kernel = vector_kernel(base::concat("cuda/cusparse-bsr-", size), CUSPARSE_SPMV_BSR_ALG1,
                                [size](const Workload& matrix, const base::Backend& backend) {
                                  return cusparse_blocks(matrix, backend, size);
                                });
  kernel.obstacle = [size](const Workload& matrix, int vectors) -> std::string {
    if (std::string why = obstacle_for(matrix, vectors); !why.empty()) return why;
    if (matrix.rows() % size != 0 || matrix.columns() % size != 0)
      return base::concat("is no whole number of blocks of ", size);
    constexpr double most = 2.5;  // 8 bytes a position against 12 a non-zero: no gain beyond 1.5
    const double positions = positions_in_blocks(matrix, size);
    return positions > most
               ? base::concat("would store about ", std::lround(positions), " positions a non-zero")
               : "";
  };
  return kernel;
}

}  // namespace

std::vector<Kernel> cusparse_vector_kernels() {
  std::vector<Kernel> kernels{
      vector_kernel("cuda/cusparse-csr-alg1", CUSPARSE_SPMV_CSR_ALG1, cusparse_csr),
      vector_kernel("cuda/cusparse-csr-alg2", CUSPARSE_SPMV_CSR_ALG2, cusparse_csr),
      vector_kernel("cuda/cusparse-coo-alg1", CUSPARSE_SPMV_COO_ALG1, cusparse_coo),
      vector_kernel("cuda/cusparse-coo-alg2", CUSPARSE_SPMV_COO_ALG2, cusparse_coo)};
  for (const Index height : {2, 4, 8, 16, 32, 64})
    kernels.push_back(vector_kernel(base::concat("cuda/cusparse-sell-", height),
                                    CUSPARSE_SPMV_SELL_ALG1,
                                    [height](const Workload& matrix, const base::Backend& backend) {
                                      return cusparse_sliced(matrix, backend, height);
                                    }));
  for (const Index size : {2, 4, 8}) kernels.push_back(block_format_kernel(size));
  return kernels;
}

}  // namespace cisolve::bench
