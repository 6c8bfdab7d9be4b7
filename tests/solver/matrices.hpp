#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/operator.hpp"
#include "base/small_matrix.hpp"
#include "solver/task/result.hpp"
#include "solver/vectors/problem.hpp"

// Small dense matrices as operators, their eigenvalues by Eigen, and the options of solvers.
namespace cisolve::test {

using base::Index;
using Dense = Eigen::MatrixXd;

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

base::SmallMatrix as_small(const Dense& a);

/// A dense matrix on any backend: the product is taken on the host.
class DenseOperator : public base::LinearOperator {
 public:
  DenseOperator(Dense matrix, base::Backend backend, bool knows_diagonal = true)
      : matrix_(std::move(matrix)), backend_(std::move(backend)), knows_diagonal_(knows_diagonal) {}

  Index rows() const override { return matrix_.rows(); }

  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;

  Dense& matrix() { return matrix_; }
  const Dense& matrix() const { return matrix_; }

 private:
  Eigen::VectorXd read(const double* source) const;
  void write(const Eigen::VectorXd& v, double* target) const;
  Index bytes() const { return rows() * Index{sizeof(double)}; }

  Dense matrix_;
  base::Backend backend_;
  bool knows_diagonal_;
};

/// One process that counts its sums: one per pass over vectors.
class CountedSums final : public base::OneProcess {
 public:
  void sum(std::span<double> /*values*/) const override { ++count; }
  mutable int count = 0;
};

/// The elements of a dense matrix without products.
class ElementsOf final : public solver::ModelBlock {
 public:
  explicit ElementsOf(const Dense& a) : a_(a) {}
  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override {
    for (int j = 0; j < block.columns(); ++j)
      for (int i = 0; i < block.rows(); ++i) block(i, j) = a_(rows[i], columns[j]);
  }

 private:
  const Dense& a_;
};

Dense random_symmetric(int n, std::uint64_t seed);

/// A rising diagonal with weak coupling, as of a Hamiltonian in a good basis.
Dense diagonally_dominant(int n, std::uint64_t seed, double coupling = 0.1);

Dense random_orthogonal(int n, std::uint64_t seed);

/// A matrix with these eigenvalues, up to rounding.
Dense with_eigenvalues(const Eigen::VectorXd& values, std::uint64_t seed);

Dense block_diagonal(const Dense& a, const Dense& b);

std::vector<double> eigenvalues(const Dense& a);

solver::Options davidson_options(int states);

base::MultiVector on_backend(const Dense& x, const base::Backend& backend);

std::vector<double> energies_of(const solver::Result& result);

/// |A x - energy x| of each state, recomputed.
std::vector<double> residuals_of(const Dense& a, const solver::Result& result);

}  // namespace cisolve::test
