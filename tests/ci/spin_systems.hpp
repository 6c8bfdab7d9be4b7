#pragma once

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "base/multivector.hpp"
#include "ci/lattice/sectors/lattice_symmetry.hpp"
#include "ci/lattice/spins/correlation_functions.hpp"
#include "ci/lattice/spins/site_model_rows.hpp"
#include "ci/oracle/site_oracle.hpp"
#include "sparse/formats/csr.hpp"

// Lattice spin models as dense matrices, built in several ways.
namespace cisolve::ci {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline const base::Backend kTwoThreads = base::Backend::openmp(2);

inline LatticeShape chain_of(int sites, bool periodic = true) {
  return {sites, 1, periodic, false};
}

inline std::vector<Term> coupled(const LatticeShape& shape, double j = 1, double j2 = 0) {
  std::vector<Term> terms = on_bonds(shape, 1, TermKind::couple, j);
  if (j2 != 0) append(terms, on_bonds(shape, 2, TermKind::couple, j2));
  return terms;
}

/// The dense matrix of an operator.
inline MatrixXd dense(const base::LinearOperator& a) {
  const auto n = static_cast<int>(a.rows());
  base::MultiVector x(kTwoThreads, n, n, "x");
  base::MultiVector y(kTwoThreads, n, n, "y");
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) x.block()(i, j) = i == j ? 1 : 0;
  a.apply(std::as_const(x).block(), y.block());
  MatrixXd all(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) all(i, j) = y.block()(i, j);
  return all;
}

inline MatrixXd dense(const sparse::RowSource& rows) {
  const sparse::Csr csr = sparse::build_csr(rows, kTwoThreads);
  const auto n = csr.shape.rows;
  MatrixXd all = MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index k = csr.offsets[i]; k < csr.offsets[i + 1]; ++k)
      all(i, csr.columns[k]) += csr.values[k];
  return all;
}

inline VectorXd eigenvalues(const MatrixXd& h) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(h, Eigen::EigenvaluesOnly).eigenvalues();
}

/// The matrix in three ways, and its eigenvalues.
inline VectorXd spectrum_of(const SymmetryAdaptedBasis& basis, const std::vector<Term>& terms) {
  const SiteModelRows rows(basis, model_of(basis.words().filling(), terms));
  if (basis.dimension() == 0) return {};
  const MatrixXd stored = dense(rows);
  EXPECT_LT((stored - stored.transpose()).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((dense(*site_product(rows, kTwoThreads)) - stored).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((dense(SiteOracle(basis, terms)) - stored).cwiseAbs().maxCoeff(), 1e-11);
  base::MultiVector diagonal(kTwoThreads, basis.dimension(), 1, "diagonal");
  EXPECT_TRUE(site_product(rows, kTwoThreads)->diagonal(diagonal.block()));
  for (Index i = 0; i < basis.dimension(); ++i)
    EXPECT_NEAR(diagonal.block()(i, 0), stored(i, i), 1e-13);
  return eigenvalues(stored);
}

inline VectorXd spectrum_of(int sites, std::optional<int> up, const std::vector<Term>& terms) {
  return spectrum_of(SymmetryAdaptedBasis(BasisStates(sites, up), std::nullopt, kTwoThreads),
                     terms);
}

inline void expect_same(std::vector<double> found, const VectorXd& expected) {
  std::ranges::sort(found);
  ASSERT_EQ(std::ssize(found), expected.size());
  for (Eigen::Index i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10);
}

inline void append_all(std::vector<double>& all, const VectorXd& values) {
  all.insert(all.end(), values.begin(), values.end());
}

inline VectorXd lowest_vector(const SymmetryAdaptedBasis& basis, const std::vector<Term>& terms) {
  const SiteModelRows rows(basis, model_of(basis.words().filling(), terms));
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(dense(rows)).eigenvectors().col(0);
}

inline CorrelationFunctions correlations_of(const SymmetryAdaptedBasis& basis, const VectorXd& x) {
  return correlation_functions(basis, {x.data(), x.size(), 1, x.size()}, kTwoThreads).front();
}

inline double lowest(const LatticeShape& shape, const WantedSymmetry& wanted) {
  const std::vector<Term> terms = coupled(shape);
  const SiteModel model = spin_model(shape.sites(), terms);
  const SymmetryAdaptedBasis basis(BasisStates(shape.sites(), shape.sites() / 2),
                                   lattice_sector(model, &shape, wanted), kTwoThreads);
  return spectrum_of(basis, terms)[0];
}

}  // namespace cisolve::ci
