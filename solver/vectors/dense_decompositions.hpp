#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

// Decompositions of dense matrices that several sources of this room need. They take seconds to
// compile, so dense_decompositions.cpp compiles them once.
extern template class Eigen::LLT<Eigen::MatrixXd>;
extern template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<
    Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::Map<const Eigen::MatrixXd>>&, int);
extern template void Eigen::internal::tridiagonalization_inplace(Eigen::MatrixXd&,
                                                                 Eigen::VectorXd&);
