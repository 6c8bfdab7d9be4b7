#include "solver/vectors/metered_operator.hpp"

#include "base/stopwatch.hpp"
#include "solver/vectors/memory.hpp"

namespace cisolve::solver {

MeteredOperator::MeteredOperator(const Problem& problem)
    : matrix_(problem.matrix),
      ranks_(problem.communicator),
      backend_(problem.backend),
      bytes_moved_(problem.matrix.description().bytes_moved) {}

void MeteredOperator::apply(ConstColumns x, Columns y) {
  if (x.count() == 0) return;
  backend_.synchronize();
  const base::Stopwatch watch;
  matrix_.apply(memory_of(x), memory_of(y));
  backend_.synchronize();
  seconds_ += watch.seconds();
  products_ += x.count();
  products_here_ += x.count();
}

double MeteredOperator::purify(double share, Columns x) const {
  return x.count() > 0 ? matrix_.purify(share, memory_of(x)) : 0;
}

bool MeteredOperator::diagonal(Columns d) const {
  return ranks_.all_true(matrix_.diagonal(memory_of(d)));
}

double MeteredOperator::bytes_per_second() const {
  if (seconds_ <= 0) return 0;
  return static_cast<double>(bytes_moved_) * static_cast<double>(products_here_) / seconds_;
}

}  // namespace cisolve::solver
