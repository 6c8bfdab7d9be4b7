#include "solver/verification/inertia.hpp"

#include <cmath>
#include <limits>

#include "solver/vectors/dense_decompositions.hpp"
#include "solver/vectors/eigen_map.hpp"

namespace cisolve::solver {

Tridiagonal tridiagonal_of(const base::Array<double>& dense, base::Index rows) {
  if (rows == 1) return {{dense[0]}, {}};
  // Scaled by a power of two, which is exact, since squares near 1e-320 would underflow.
  const auto a = as_eigen(dense, rows);
  int exponent = 0;
  std::frexp(a.cwiseAbs().maxCoeff(), &exponent);
  const Eigen::Tridiagonalization<Eigen::MatrixXd> t(std::ldexp(1.0, -exponent / 2) * a *
                                                     std::ldexp(1.0, exponent / 2 - exponent));
  const auto back = [exponent](double value) { return std::ldexp(value, exponent); };
  const Eigen::VectorXd diagonal = t.diagonal().unaryExpr(back);
  const Eigen::VectorXd off = t.subDiagonal().unaryExpr(back);
  return {{diagonal.begin(), diagonal.end()}, {off.begin(), off.end()}};
}

base::Index count_below(const Tridiagonal& t, double shift) {
  constexpr double tiny = std::numeric_limits<double>::min();
  base::Index count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < t.diagonal.size(); ++i) {
    const double e = i == 0 ? 0 : t.off_diagonal[i - 1];
    pivot = t.diagonal[i] - shift - e * (e / pivot);
    if (std::abs(pivot) < tiny) pivot = -tiny;  // shifts by less than rounding
    if (pivot < 0) ++count;
  }
  return count;
}

}  // namespace cisolve::solver
