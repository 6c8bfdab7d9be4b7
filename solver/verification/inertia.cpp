#include "solver/verification/inertia.hpp"

#include <cmath>
#include <limits>

#include "solver/vectors/dense_decompositions.hpp"
#include "solver/vectors/eigen_map.hpp"

namespace cisolve::solver {

Tridiagonal tridiagonal_of(const base::Array<double>& dense, base::Index rows) {
  if (rows == 1) return {{dense[0]}, {}};
  const Eigen::Tridiagonalization<Eigen::MatrixXd> t(as_eigen(dense, rows));
  const Eigen::VectorXd diagonal = t.diagonal();
  const Eigen::VectorXd off = t.subDiagonal();
  return {{diagonal.begin(), diagonal.end()}, {off.begin(), off.end()}};
}

base::Index count_below(const Tridiagonal& t, double shift) {
  constexpr double tiny = std::numeric_limits<double>::min();
  base::Index count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < t.diagonal.size(); ++i) {
    const double e = i == 0 ? 0 : t.off_diagonal[i - 1];
    pivot = t.diagonal[i] - shift - e * (e / pivot);
    if (std::abs(pivot) < tiny) pivot = -tiny;  // moves the shift by less than rounding does
    if (pivot < 0) ++count;
  }
  return count;
}

}  // namespace cisolve::solver
