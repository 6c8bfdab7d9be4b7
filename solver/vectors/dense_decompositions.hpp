#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

// Dense decompositions that several sources of solver/ use; compiled once, in
// dense_decompositions.cpp, since each takes seconds.
extern template class Eigen::LLT<Eigen::MatrixXd>;
extern template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<
    Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::Map<const Eigen::MatrixXd>>&, int);
extern template void Eigen::internal::tridiagonalization_inplace(Eigen::MatrixXd&,
                                                                 Eigen::VectorXd&);
