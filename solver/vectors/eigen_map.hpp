#pragma once

#include <Eigen/Core>

#include "base/small_matrix.hpp"

// Only for sources of this room: a SmallMatrix as Eigen sees it, without a copy.
namespace cisolve::solver {

inline Eigen::Map<Eigen::MatrixXd> as_eigen(base::SmallMatrix& a) {
  return {a.values().data(), a.rows(), a.columns()};
}

inline Eigen::Map<const Eigen::MatrixXd> as_eigen(const base::SmallMatrix& a) {
  return {a.values().data(), a.rows(), a.columns()};
}

}  // namespace cisolve::solver
