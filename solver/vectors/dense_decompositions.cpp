#include "solver/vectors/dense_decompositions.hpp"

template class Eigen::LLT<Eigen::MatrixXd>;
template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<
    Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::Map<const Eigen::MatrixXd>>&, int);
template void Eigen::internal::tridiagonalization_inplace(Eigen::MatrixXd&, Eigen::VectorXd&);
