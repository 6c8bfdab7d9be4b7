#include "solver/vectors/small_eigen.hpp"

#include <Eigen/SVD>

#include "base/error.hpp"
#include "solver/vectors/dense_decompositions.hpp"
#include "solver/vectors/eigen_map.hpp"

namespace cisolve::solver {

EigenPairs symmetric_eigen(const SmallMatrix& h) {
  EigenPairs pairs{std::vector<double>(h.columns()), SmallMatrix(h.rows(), h.columns())};
  if (h.rows() == 0) return pairs;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(as_eigen(h));
  if (solver.info() != Eigen::Success)
    base::fail(base::ErrorKind::bad_input, "the eigenvalues of a projected matrix of ", h.rows(),
               " rows cannot be computed; the operator gives products that are infinite or NaN");
  Eigen::VectorXd::Map(pairs.values.data(), h.columns()) = solver.eigenvalues();
  as_eigen(pairs.vectors) = solver.eigenvectors();
  return pairs;
}

namespace {

using SmallCholesky = Eigen::LLT<Eigen::MatrixXd>;

SmallCholesky factor_of(const SmallMatrix& metric) {
  SmallCholesky factor(as_eigen(metric));
  if (factor.info() != Eigen::Success)
    base::fail(base::ErrorKind::internal, "the vectors of the search space are linearly dependent");
  return factor;
}

}  // namespace

EigenPairs symmetric_eigen(const SmallMatrix& h, const SmallMatrix& metric) {
  const SmallCholesky factor = factor_of(metric);
  SmallMatrix standard(h.rows(), h.columns());  // L^-1 h L^-T
  const Eigen::MatrixXd half = factor.matrixL().solve(as_eigen(h));
  as_eigen(standard) = factor.matrixL().solve(half.transpose());
  EigenPairs pairs = symmetric_eigen(standard);
  const Eigen::MatrixXd vectors = factor.matrixU().solve(as_eigen(pairs.vectors));
  as_eigen(pairs.vectors) = vectors;
  return pairs;
}

SmallMatrix orthonormal_columns(const SmallMatrix& c, const SmallMatrix& metric) {
  const SmallCholesky factor = factor_of(transposed_product(c, product(metric, c)));
  SmallMatrix made = c;
  as_eigen(made) = factor.matrixU().solve<Eigen::OnTheRight>(as_eigen(c)).eval();
  return made;
}

SingularValues singular_values(const SmallMatrix& a) {
  SingularValues found{std::vector<double>(static_cast<std::size_t>(a.columns())),
                       SmallMatrix(a.rows(), a.rows()), SmallMatrix(a.columns(), a.columns())};
  if (a.rows() == 0) return found;
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> decomposition(
      as_eigen(a), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::VectorXd::Map(found.values.data(), a.columns()) = decomposition.singularValues();
  as_eigen(found.left) = decomposition.matrixU();
  as_eigen(found.right) = decomposition.matrixV();
  return found;
}

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix c(a.rows(), b.columns());
  as_eigen(c).noalias() = as_eigen(a) * as_eigen(b);
  return c;
}

SmallMatrix transposed_product(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix c(a.columns(), b.columns());
  as_eigen(c).noalias() = as_eigen(a).transpose() * as_eigen(b);
  return c;
}

SmallMatrix columns_of(const SmallMatrix& a, int first, int count) {
  SmallMatrix part(a.rows(), count);
  as_eigen(part) = as_eigen(a).middleCols(first, count);
  return part;
}

SmallMatrix columns_of(const SmallMatrix& a, const std::vector<int>& numbers) {
  SmallMatrix some(a.rows(), static_cast<int>(numbers.size()));
  as_eigen(some) = as_eigen(a)(Eigen::all, numbers);
  return some;
}

SmallMatrix extended_by(const SmallMatrix& kept, const SmallMatrix& extra) {
  constexpr double noise = 1e-10;  // remainder of a linearly dependent unit vector
  Eigen::MatrixXd all(kept.rows(), kept.columns() + extra.columns());
  all.leftCols(kept.columns()) = as_eigen(kept);
  Eigen::Index count = kept.columns();
  for (int j = 0; j < extra.columns() && count < all.rows(); ++j) {
    Eigen::VectorXd v = as_eigen(extra).col(j);
    const double before = v.norm();
    for (int pass = 0; pass < 2; ++pass)
      v -= all.leftCols(count) * (all.leftCols(count).transpose() * v).eval();
    const double after = v.norm();
    if (!(after > noise * before)) continue;
    all.col(count) = v / after;
    const Eigen::VectorXd again = all.leftCols(count).transpose() * all.col(count);
    all.col(count) -= all.leftCols(count) * again;
    all.col(count++).normalize();
  }
  SmallMatrix result(kept.rows(), static_cast<int>(count));
  as_eigen(result) = all.leftCols(count);
  return result;
}

}  // namespace cisolve::solver
