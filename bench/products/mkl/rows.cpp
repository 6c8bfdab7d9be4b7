#include <mkl.h>

#include "base/error.hpp"
#include "bench/products/kernel.hpp"

// oneMKL's CSR product, after its inspection of the matrix.
namespace cisolve::bench {
namespace {

void check(sparse_status_t status, const char* call) {
  if (status == SPARSE_STATUS_SUCCESS) return;
  base::fail(
      status == SPARSE_STATUS_ALLOC_FAILED ? base::ErrorKind::resources : base::ErrorKind::internal,
      call, " failed with status ", static_cast<int>(status));
}

/// Offsets as MKL_INT; columns and values are the workload's own.
class MklProduct final : public PreparedMatrix {
 public:
  MklProduct(const Workload& matrix, int threads, int vectors)
      : csr_(matrix.csr()),
        offsets_(csr_.offsets.backend(), csr_.offsets.size(), "the offsets of MKL's rows"),
        threads_(threads) {
    static_assert(sizeof(MKL_INT) == sizeof(Column));
    for (Index row = 0; row < offsets_.size(); ++row)
      offsets_[row] = static_cast<MKL_INT>(csr_.offsets[row]);
    mkl_set_num_threads_local(threads_);
    // MKL only reads them, despite its interface
    auto* columns = const_cast<MKL_INT*>(csr_.columns.data());
    auto* values = const_cast<double*>(csr_.values.data());
    check(mkl_sparse_d_create_csr(&handle_, SPARSE_INDEX_BASE_ZERO,
                                  static_cast<MKL_INT>(csr_.shape.rows),
                                  static_cast<MKL_INT>(csr_.shape.columns), offsets_.data(),
                                  offsets_.data() + 1, columns, values),
          "mkl_sparse_d_create_csr");
    constexpr MKL_INT calls = 1000;  // expected number of calls
    if (vectors == 1)
      mkl_sparse_set_mv_hint(handle_, SPARSE_OPERATION_NON_TRANSPOSE, kGeneral, calls);
    else
      mkl_sparse_set_mm_hint(handle_, SPARSE_OPERATION_NON_TRANSPOSE, kGeneral,
                             SPARSE_LAYOUT_COLUMN_MAJOR, vectors, calls);
    check(mkl_sparse_optimize(handle_), "mkl_sparse_optimize");
  }
  ~MklProduct() override { mkl_sparse_destroy(handle_); }

  Index bytes() const override {
    return offsets_.bytes() + csr_.columns.bytes() + csr_.values.bytes();
  }

  void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) override {
    mkl_set_num_threads_local(threads_);
    if (y.columns == 1)
      check(mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, alpha, handle_, kGeneral, x.data, beta,
                            y.data),
            "mkl_sparse_d_mv");
    else
      check(mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, alpha, handle_, kGeneral,
                            SPARSE_LAYOUT_COLUMN_MAJOR, x.data, y.columns,
                            static_cast<MKL_INT>(x.stride), beta, y.data,
                            static_cast<MKL_INT>(y.stride)),
            "mkl_sparse_d_mm");
  }

 private:
  static constexpr matrix_descr kGeneral{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL,
                                         SPARSE_DIAG_NON_UNIT};

  const sparse::Csr& csr_;
  base::Array<MKL_INT> offsets_;
  int threads_;
  sparse_matrix_t handle_ = nullptr;
};

std::string obstacle_for(const Workload& matrix, int /*vectors*/) {
  if (matrix.nonzeros() > base::kLargestDimension)
    return "has more non-zeros than 32 bits can count";
  return matrix.nonzeros() == 0 ? "has no elements, which MKL does not take" : "";
}

}  // namespace

std::vector<Kernel> mkl_kernels(int threads) {
  return {{.name = "openmp/mkl",
           .threads = threads,
           .obstacle = obstacle_for,
           .prepare = [threads](const Workload& matrix, const base::Backend&, int vectors) {
             return std::make_unique<MklProduct>(matrix, threads, vectors);
           }}};
}

}  // namespace cisolve::bench
