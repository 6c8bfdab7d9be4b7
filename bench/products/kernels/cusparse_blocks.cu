#include "base/cuda/elements.cuh"
#include "bench/products/kernels/cusparse.cuh"

// cuSPARSE products with several vectors at once, in column-major and in row-major layout.
namespace cisolve::bench {
namespace {

enum class Layout { columns, rows };

void put_side_by_side(const base::Backend& backend, base::ConstBlock from, double* to) {
  const int vectors = from.columns;
  base::cuda::launch_elements(backend, from.rows, from.columns,
                              [=] __device__(Index i, int j) { to[i * vectors + j] = from(i, j); });
}

void copy_from_side_by_side(const base::Backend& backend, const double* from, base::Block to) {
  const int vectors = to.columns;
  base::cuda::launch_elements(backend, to.rows, to.columns,
                              [=] __device__(Index i, int j) { to(i, j) = from[i * vectors + j]; });
}

class CusparseBlockProduct final : public PreparedMatrix {
 public:
  CusparseBlockProduct(const Workload& matrix, Layout layout, cusparseSpMMAlg_t algorithm,
                       const base::Backend& backend, int vectors)
      : backend_(backend),
        handle_(backend),
        matrix_(cusparse_csr(matrix, backend)),
        layout_(layout),
        algorithm_(algorithm),
        x_rows_(backend, layout == Layout::rows ? matrix.columns() * vectors : 0, "x by rows"),
        y_rows_(backend, layout == Layout::rows ? matrix.rows() * vectors : 0, "y by rows"),
        buffer_(backend, 0, "the workspace of cuSPARSE") {}

  Index bytes() const override { return matrix_.bytes; }

  // The conversion of x and y is not timed, since a caller may store vectors in row-major order
  // throughout.
  void load(base::ConstBlock x, base::ConstBlock y) override {
    if (layout_ == Layout::rows) {
      put_side_by_side(backend_, x, x_rows_.data());
      put_side_by_side(backend_, y, y_rows_.data());
    }
    prepare(x, y);
  }

  void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) override {
    if (layout_ == Layout::columns) {
      check(cusparseDnMatSetValues(x_.get(), const_cast<double*>(x.data)),
            "cusparseDnMatSetValues");
      check(cusparseDnMatSetValues(y_.get(), y.data), "cusparseDnMatSetValues");
    }
    check(cusparseSpMM(handle_.get(), kAsIs, kAsIs, &alpha, matrix_.description.get(), x_.get(),
                       &beta, y_.get(), CUDA_R_64F, algorithm_, buffer_.data()),
          "cusparseSpMM");
  }

  void store(base::Block y) override {
    if (layout_ == Layout::rows) copy_from_side_by_side(backend_, y_rows_.data(), y);
  }

 private:
  static constexpr cusparseOperation_t kAsIs = CUSPARSE_OPERATION_NON_TRANSPOSE;

  void describe(DescribedVectors& description, base::ConstBlock vectors, double* by_rows) const {
    const bool rows = layout_ == Layout::rows;
    check(cusparseCreateDnMat(description.out(), vectors.rows, vectors.columns,
                              rows ? vectors.columns : vectors.stride,
                              rows ? by_rows : const_cast<double*>(vectors.data), CUDA_R_64F,
                              rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
          "cusparseCreateDnMat");
  }

  void prepare(base::ConstBlock x, base::ConstBlock y) {
    if (x_.get() != nullptr) return;
    describe(x_, x, x_rows_.data());
    describe(y_, y, y_rows_.data());
    const double one = 1;
    const double zero = 0;
    std::size_t bytes = 0;
    check(cusparseSpMM_bufferSize(handle_.get(), kAsIs, kAsIs, &one, matrix_.description.get(),
                                  x_.get(), &zero, y_.get(), CUDA_R_64F, algorithm_, &bytes),
          "cusparseSpMM_bufferSize");
    buffer_ = base::Array<char>(backend_, static_cast<Index>(bytes), "the workspace of cuSPARSE");
    const cusparseStatus_t status =
        cusparseSpMM_preprocess(handle_.get(), kAsIs, kAsIs, &one, matrix_.description.get(),
                                x_.get(), &zero, y_.get(), CUDA_R_64F, algorithm_, buffer_.data());
    if (status != CUSPARSE_STATUS_NOT_SUPPORTED) check(status, "cusparseSpMM_preprocess");
  }

  base::Backend backend_;
  CusparseHandle handle_;
  CusparseMatrix matrix_;
  Layout layout_;
  cusparseSpMMAlg_t algorithm_;
  base::Array<double> x_rows_;
  base::Array<double> y_rows_;
  base::Array<char> buffer_;
  DescribedVectors x_;
  DescribedVectors y_;
};

std::string obstacle_for(const Workload& matrix, int vectors) {
  if (vectors == 1) return "is for several vectors";
  if (matrix.nonzeros() == 0) return "has no elements, which cuSPARSE does not take";
  return too_long_for_cusparse(matrix);
}

Kernel block_kernel(std::string name, Layout layout, cusparseSpMMAlg_t algorithm) {
  return {.name = std::move(name),
          .backend = base::BackendKind::cuda,
          .obstacle = obstacle_for,
          .prepare = [=](const Workload& matrix, const base::Backend& backend, int vectors) {
            return std::make_unique<CusparseBlockProduct>(matrix, layout, algorithm, backend,
                                                          vectors);
          }};
}

}  // namespace

std::vector<Kernel> cusparse_block_kernels() {
  return {
      block_kernel("cuda/cusparse-spmm-alg1", Layout::columns, CUSPARSE_SPMM_CSR_ALG1),
      block_kernel("cuda/cusparse-spmm-alg2", Layout::columns, CUSPARSE_SPMM_CSR_ALG2),
      block_kernel("cuda/cusparse-spmm-alg3", Layout::columns, CUSPARSE_SPMM_CSR_ALG3),
      block_kernel("cuda/cusparse-spmm-alg1-side-by-side", Layout::rows, CUSPARSE_SPMM_CSR_ALG1),
      block_kernel("cuda/cusparse-spmm-alg2-side-by-side", Layout::rows, CUSPARSE_SPMM_CSR_ALG2),
      block_kernel("cuda/cusparse-spmm-alg3-side-by-side", Layout::rows, CUSPARSE_SPMM_CSR_ALG3),
  };
}

}  // namespace cisolve::bench
