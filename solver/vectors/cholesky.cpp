#include "solver/vectors/cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

#include "base/loops.hpp"
#include "solver/vectors/eigen_map.hpp"

namespace cisolve::solver {
namespace {

using base::Index;
using base::SmallMatrix;

constexpr Index kPanel = 96;  // columns eliminated at once

/// Right-looking elimination of `width` columns from `first` on; false if a pivot block is not
/// positive definite.
bool eliminate(Eigen::Map<Eigen::MatrixXd> a, Index first, Index width, const base::Backend& host) {
  auto corner = a.block(first, first, width, width);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> cholesky(corner);
  if (cholesky.info() != Eigen::Success || !corner.diagonal().allFinite()) return false;
  const Index below = first + width;
  const Index rest = a.rows() - below;
  base::for_each_chunk(rest, kPanel, host, [&](Index begin, Index end) {
    auto rows = a.block(below + begin, first, end - begin, width);
    corner.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(rows);
  });
  base::for_each_chunk(rest, kPanel, host, [&](Index begin, Index end) {
    const auto columns = a.block(below + begin, first, end - begin, width);
    const auto rows = a.block(below + begin, first, rest - begin, width);
    a.block(below + begin, below + begin, rest - begin, end - begin).noalias() -=
        rows * columns.transpose();
  });
  return true;
}

}  // namespace

std::optional<Cholesky> Cholesky::of(SmallMatrix a, const base::Backend& host) {
  const Index rows = a.rows();
  for (Index first = 0; first < rows; first += kPanel)
    if (!eliminate(as_eigen(a), first, std::min(kPanel, rows - first), host)) return {};
  return Cholesky(std::move(a));
}

void Cholesky::solve(SmallMatrix& x) const {
  auto columns = as_eigen(x);
  as_eigen(factor_).triangularView<Eigen::Lower>().solveInPlace(columns);
}

void Cholesky::solve_transposed(SmallMatrix& x) const {
  auto columns = as_eigen(x);
  as_eigen(factor_).transpose().triangularView<Eigen::Upper>().solveInPlace(columns);
}

/// x^T A^-1 x = |L^-1 x|^2.
double Cholesky::lowest() const {
  constexpr int kSteps = 5;
  SmallMatrix x(rows(), 1);
  for (int i = 0; i < rows(); ++i) x(i, 0) = 1 + 0.5 * (i % 3);
  double largest = 0;  // largest element of A^-1
  for (int step = 0; step < kSteps; ++step) {
    as_eigen(x).normalize();
    solve(x);
    largest = as_eigen(x).squaredNorm();
    solve_transposed(x);
  }
  return 1 / largest;
}

}  // namespace cisolve::solver
