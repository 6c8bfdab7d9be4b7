#pragma once

#include <Eigen/Core>

#include "base/array.hpp"
#include "base/small_matrix.hpp"

// Dense host matrices as Eigen maps, without a copy; for the sources of solver/ alone.
namespace cisolve::solver {

inline Eigen::Map<Eigen::MatrixXd> as_eigen(base::SmallMatrix& a) {
  return {a.values().data(), a.rows(), a.columns()};
}

inline Eigen::Map<const Eigen::MatrixXd> as_eigen(const base::SmallMatrix& a) {
  return {a.values().data(), a.rows(), a.columns()};
}

/// Square matrix in column-major order.
inline Eigen::Map<Eigen::MatrixXd> as_eigen(base::Array<double>& square, base::Index rows) {
  return {square.data(), rows, rows};
}

inline Eigen::Map<const Eigen::MatrixXd> as_eigen(const base::Array<double>& square,
                                                  base::Index rows) {
  return {square.data(), rows, rows};
}

}  // namespace cisolve::solver
