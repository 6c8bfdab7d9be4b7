#include "solver/vectors/metered_operator.hpp"

#include "base/stopwatch.hpp"

namespace cisolve::solver {

MeteredOperator::MeteredOperator(const Problem& problem)
    : matrix_(problem.matrix),
      backend_(problem.backend),
      bytes_moved_(problem.matrix.description().bytes_moved) {}

void MeteredOperator::apply(base::ConstBlock x, base::Block y) {
  if (x.columns == 0) return;
  backend_.synchronize();
  const base::Stopwatch watch;
  matrix_.apply(x, y);
  backend_.synchronize();
  seconds_ += watch.seconds();
  products_ += x.columns;
  products_here_ += x.columns;
}

double MeteredOperator::bytes_per_second() const {
  if (seconds_ <= 0) return 0;
  return static_cast<double>(bytes_moved_) * static_cast<double>(products_here_) / seconds_;
}

}  // namespace cisolve::solver
