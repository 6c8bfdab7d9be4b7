#include <Eigen/SparseCore>

#include "base/error.hpp"
#include "bench/products/kernel.hpp"
#include "sparse/stored/matrix.hpp"

// Eigen's product of a row-major sparse matrix, parallelised with OpenMP. Its loop over the
// elements of a row is scalar, so our EIGEN_DONT_VECTORIZE costs nothing.
namespace cisolve::bench {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using Strided = Eigen::OuterStride<>;
using Vectors = Eigen::Map<Eigen::MatrixXd, 0, Strided>;
using ConstVectors = Eigen::Map<const Eigen::MatrixXd, 0, Strided>;

std::string refuse_long(const Workload& matrix, int /*vectors*/) {
  return matrix.nonzeros() > base::kLargestDimension ? "has more non-zeros than 32 bits can count"
                                                     : "";
}

/// 32-bit offsets; columns and values are the workload's own.
struct EigenRows {
  explicit EigenRows(const Workload& matrix)
      : csr(&matrix.csr()),
        offsets(csr->offsets.backend(), csr->offsets.size(), "the offsets of Eigen's rows") {
    for (Index row = 0; row < offsets.size(); ++row)
      offsets[row] = static_cast<int>(csr->offsets[row]);
  }

  Eigen::Map<const SparseMatrix> view() const {
    return {csr->shape.rows, csr->shape.columns,  csr->nonzeros(),
            offsets.data(),  csr->columns.data(), csr->values.data()};
  }
  Index bytes() const { return offsets.bytes() + csr->columns.bytes() + csr->values.bytes(); }

  const sparse::Csr* csr;
  base::Array<int> offsets;
};

template <class Y, class X>
void multiply_add(const EigenRows& rows, double alpha, const X& x, double beta, Y y) {
  if (beta == 0)
    y.setZero();
  else if (beta != 1)
    y *= beta;
  y.noalias() += alpha * (rows.view() * x);
}

}  // namespace

std::vector<Kernel> eigen_kernels(int threads) {
  Kernel kernel{.name = "openmp/eigen", .threads = threads, .obstacle = refuse_long};
  kernel.prepare = [threads](const Workload& matrix, const base::Backend&, int) {
    EigenRows rows(matrix);
    const Index bytes = rows.bytes();
    return prepared(bytes, [rows = std::move(rows), threads](double alpha, base::ConstBlock x,
                                                             double beta, base::Block y) {
      Eigen::setNbThreads(threads);
      if (y.columns == 1)  // the vector type selects Eigen's faster code
        return multiply_add(rows, alpha, Eigen::Map<const Eigen::VectorXd>(x.data, x.rows), beta,
                            Eigen::Map<Eigen::VectorXd>(y.data, y.rows));
      multiply_add(rows, alpha, ConstVectors(x.data, x.rows, x.columns, Strided(x.stride)), beta,
                   Vectors(y.data, y.rows, y.columns, Strided(y.stride)));
    });
  };
  return {kernel};
}

}  // namespace cisolve::bench
