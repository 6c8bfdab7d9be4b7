#pragma once

#include <Eigen/Eigenvalues>
#include <cstdint>
#include <vector>

#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/operator.hpp"
#include "base/random.hpp"
#include "solver/problem.hpp"

// Small dense matrices as operators, and the eigenvalues that Eigen finds for them.
namespace cisolve::test {

using base::Index;
using Dense = Eigen::MatrixXd;

/// A dense matrix on any backend: the product is taken on the host.
class DenseOperator : public base::LinearOperator {
 public:
  DenseOperator(Dense matrix, base::Backend backend, bool knows_diagonal = true)
      : matrix_(std::move(matrix)), backend_(std::move(backend)), knows_diagonal_(knows_diagonal) {}

  Index rows() const override { return matrix_.rows(); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) write(matrix_ * read(x.column(j)), y.column(j));
  }

  bool diagonal(base::Block d) const override {
    if (knows_diagonal_) write(matrix_.diagonal(), d.column(0));
    return knows_diagonal_;
  }

  Dense& matrix() { return matrix_; }

 private:
  Eigen::VectorXd read(const double* source) const {
    Eigen::VectorXd v(rows());
    base::copy_bytes(backend_, source, backend_.host(), v.data(), bytes());
    return v;
  }
  void write(const Eigen::VectorXd& v, double* target) const {
    base::copy_bytes(backend_.host(), v.data(), backend_, target, bytes());
  }
  Index bytes() const { return rows() * Index{sizeof(double)}; }

  Dense matrix_;
  base::Backend backend_;
  bool knows_diagonal_;
};

inline Dense random_symmetric(int n, std::uint64_t seed) {
  base::RandomStream random(seed, 1);
  Dense a(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) a(i, j) = a(j, i) = 2 * random.uniform() - 1;
  return a;
}

/// A rising diagonal with weak coupling, as of a Hamiltonian in a good basis.
inline Dense diagonally_dominant(int n, std::uint64_t seed, double coupling = 0.1) {
  Dense a = coupling * random_symmetric(n, seed);
  for (int i = 0; i < n; ++i) a(i, i) += 0.1 * i + 0.5 * a(i, i);
  return a;
}

inline Dense random_orthogonal(int n, std::uint64_t seed) {
  return Eigen::HouseholderQR<Dense>(random_symmetric(n, seed)).householderQ();
}

/// With exactly the given eigenvalues, up to rounding.
inline Dense with_eigenvalues(const Eigen::VectorXd& values, std::uint64_t seed) {
  const Dense q = random_orthogonal(static_cast<int>(values.size()), seed);
  const Dense a = q * values.asDiagonal() * q.transpose();
  return 0.5 * (a + a.transpose());
}

inline Dense block_diagonal(const Dense& a, const Dense& b) {
  Dense c = Dense::Zero(a.rows() + b.rows(), a.cols() + b.cols());
  c.topLeftCorner(a.rows(), a.cols()) = a;
  c.bottomRightCorner(b.rows(), b.cols()) = b;
  return c;
}

inline std::vector<double> eigenvalues(const Dense& a) {
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Dense>(a, Eigen::EigenvaluesOnly).eigenvalues();
  return {values.begin(), values.end()};
}

}  // namespace cisolve::test
