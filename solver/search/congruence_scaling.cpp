#include "solver/search/congruence_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/vectors/eigen_map.hpp"

namespace cisolve::solver {
namespace {

// The costlier a step, the more a larger block pays: it saves steps for less than their time. On a
// device steps are faster, but blocks are made on the host.
constexpr double kRowsOnHost = 2.5;
constexpr double kRowsOnDevice = 0.6;
constexpr double kPowerOfRows = 0.4;
constexpr double kFewestRows = 40;
constexpr double kMostRows = 3000;

// Fraction of the floor. A nearly singular block, such as one that contains most of a state, would
// give that state no weight.
constexpr double kLift = 0.02;

/// Raises the lowest values along the columns of `known` to the largest diagonal element or above.
void raise(SmallMatrix& block, const SmallMatrix& known) {
  if (known.columns() == 0) return;
  const auto a = as_eigen(block);
  const auto x = as_eigen(known);
  const double lowest = (a * x).cwiseProduct(x).colwise().sum().minCoeff();
  as_eigen(block).noalias() +=
      (a.diagonal().maxCoeff() - std::min(lowest, 0.0)) * x * x.transpose();
}

}  // namespace

int scaling_block_rows(const base::Backend& backend, Index dimension) {
  const double power = std::pow(static_cast<double>(dimension), kPowerOfRows);
  const double rows = (backend.is_host() ? kRowsOnHost : kRowsOnDevice) * power;
  const auto size = static_cast<int>(std::clamp(rows, kFewestRows, kMostRows));
  constexpr Index kAtOnce = 3;  // blocks at once: filled, factorised, added
  const Index bytes = kAtOnce * size * size * Index{sizeof(double)};
  return backend.host_memory().left() >= bytes ? size : 0;
}

CongruenceScaling::CongruenceScaling(const Vectors& vectors, const SolverSetup& setup,
                                     SearchRegion region, double floor, ConstColumns deflated,
                                     Columns roots)
    : vectors_(vectors),
      roots_(roots),
      times_(region.radius ? 2 : 1),
      least_(setup.has_diagonal() ? floor : 1) {
  setup.fill_scaling(region.energy, floor, roots_);
  if (!region.radius) take_block(setup, region.energy, kLift * floor, deflated);
}

/// No block if it is indefinite on the complement of the known vectors; the search will find that
/// state.
void CongruenceScaling::take_block(const SolverSetup& setup, double energy, double lift,
                                   ConstColumns deflated) {
  const base::Backend& backend = vectors_.backend();
  const int size = scaling_block_rows(backend, vectors_.dimension());
  if (!vectors_.ranks().all_true(size > 0)) return;
  auto [rows, elements] = setup.lowest_block(size);
  if (rows.empty()) return;
  for (int i = 0; i < elements.rows(); ++i) elements(i, i) += lift - energy;
  SmallMatrix known(elements.rows(), deflated.count());
  vectors_.gather(deflated, rows, known);
  raise(elements, known);
  block_ = Cholesky::of(std::move(elements), backend.host());
  if (!vectors_.ranks().all_true(block_.has_value())) return block_.reset();
  rows_ = std::move(rows);
  least_ = std::min(least_, block_->lowest());
}

void CongruenceScaling::divide_by_roots(ConstColumns x, Columns y) const {
  const std::vector<double> no_shifts(y.count());
  const auto divide = [&](ConstColumns from) {
    vectors_.divide_by_shifted(roots_, no_shifts, std::numeric_limits<double>::min(), from, y);
  };
  divide(x);
  for (int time = 1; time < times_; ++time) divide(y);
}

void CongruenceScaling::divide(ConstColumns x, Columns y,
                               void (Cholesky::*solve)(SmallMatrix&) const) const {
  if (rows_.empty()) return divide_by_roots(x, y);
  SmallMatrix inside(block_->rows(), y.count());
  vectors_.gather(x, rows_, inside);
  divide_by_roots(x, y);
  (*block_.*solve)(inside);
  vectors_.scatter(inside, rows_, y);
}

void CongruenceScaling::divide(ConstColumns x, Columns y) const { divide(x, y, &Cholesky::solve); }

void CongruenceScaling::divide_transposed(ConstColumns x, Columns y) const {
  divide(x, y, &Cholesky::solve_transposed);
}

}  // namespace cisolve::solver
