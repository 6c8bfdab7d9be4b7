#include "tests/solver/matrices.hpp"

#include <Eigen/Eigenvalues>

#include "base/array.hpp"
#include "base/random.hpp"

namespace cisolve::test {

void DenseOperator::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; ++j) write(matrix_ * read(x.column(j)), y.column(j));
}

bool DenseOperator::diagonal(base::Block d) const {
  if (knows_diagonal_) write(matrix_.diagonal(), d.column(0));
  return knows_diagonal_;
}

Eigen::VectorXd DenseOperator::read(const double* source) const {
  Eigen::VectorXd v(rows());
  base::copy_bytes(backend_, source, backend_.host(), v.data(), bytes());
  return v;
}

void DenseOperator::write(const Eigen::VectorXd& v, double* target) const {
  base::copy_bytes(backend_.host(), v.data(), backend_, target, bytes());
}

base::SmallMatrix as_small(const Dense& a) {
  base::SmallMatrix small(static_cast<int>(a.rows()), static_cast<int>(a.cols()));
  Eigen::Map<Dense>(small.values().data(), a.rows(), a.cols()) = a;
  return small;
}

Dense random_symmetric(int n, std::uint64_t seed) {
  base::RandomStream random(seed, 1);
  Dense a(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) a(i, j) = a(j, i) = 2 * random.uniform() - 1;
  return a;
}

Dense diagonally_dominant(int n, std::uint64_t seed, double coupling) {
  Dense a = coupling * random_symmetric(n, seed);
  for (int i = 0; i < n; ++i) a(i, i) += 0.1 * i + 0.5 * a(i, i);
  return a;
}

Dense random_orthogonal(int n, std::uint64_t seed) {
  return Eigen::HouseholderQR<Dense>(random_symmetric(n, seed)).householderQ();
}

Dense with_eigenvalues(const Eigen::VectorXd& values, std::uint64_t seed) {
  const Dense q = random_orthogonal(static_cast<int>(values.size()), seed);
  const Dense a = q * values.asDiagonal() * q.transpose();
  return 0.5 * (a + a.transpose());
}

Dense block_diagonal(const Dense& a, const Dense& b) {
  Dense c = Dense::Zero(a.rows() + b.rows(), a.cols() + b.cols());
  c.topLeftCorner(a.rows(), a.cols()) = a;
  c.bottomRightCorner(b.rows(), b.cols()) = b;
  return c;
}

std::vector<double> eigenvalues(const Dense& a) {
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Dense>(a, Eigen::EigenvaluesOnly).eigenvalues();
  return {values.begin(), values.end()};
}

solver::Options davidson_options(int states) {
  solver::Options options;
  options.method = solver::Method::davidson;
  options.states = states;
  return options;
}

base::MultiVector on_backend(const Dense& x, const base::Backend& backend) {
  base::MultiVector host(backend.host(), x.rows(), static_cast<int>(x.cols()));
  for (int j = 0; j < x.cols(); ++j)
    Eigen::VectorXd::Map(host.block().column(j), x.rows()) = x.col(j);
  return host.to(backend);
}

std::vector<double> energies_of(const solver::Result& result) {
  std::vector<double> energies;
  for (const solver::State& state : result.states) energies.push_back(state.energy);
  return energies;
}

std::vector<double> residuals_of(const Dense& a, const solver::Result& result) {
  const auto x = result.vectors.to(result.vectors.backend().host());
  std::vector<double> residuals;
  for (int j = 0; j < x.columns(); ++j) {
    const Eigen::Map<const Eigen::VectorXd> v(x.block().column(j), a.rows());
    residuals.push_back((a * v - result.states[j].energy * v).norm());
  }
  return residuals;
}

}  // namespace cisolve::test
