#include "solver/vectors/metered_operator.hpp"

#include "base/stopwatch.hpp"
#include "solver/vectors/memory.hpp"

namespace cisolve::solver {

MeteredOperator::MeteredOperator(const Problem& problem)
    : matrix_(problem.matrix),
      projector_(base::SymmetryProjector::of(problem.matrix)),
      ranks_(problem.communicator),
      backend_(problem.backend),
      bytes_moved_(problem.matrix.description().bytes_moved) {
  if (!backend_.is_host()) watch_.emplace(backend_.device());
}

void MeteredOperator::apply(ConstColumns x, Columns y) {
  if (x.count() == 0) return;
  backend_.synchronize();  // an operator may read x on a stream of its own
  const base::Stopwatch watch;
  if (watch_) watch_->begin();
  matrix_.apply(memory_of(x), memory_of(y));
  if (watch_)
    watch_->end();
  else
    seconds_ += watch.seconds();
  products_ += x.count();
  timed_products_ += x.count();
}

double MeteredOperator::project_symmetry(double max_fraction, Columns x) const {
  if (projector_ == nullptr || x.count() == 0) return 0;
  return projector_->project_symmetry(max_fraction, memory_of(x));
}

bool MeteredOperator::diagonal(Columns d) const {
  return ranks_.all_true(matrix_.diagonal(memory_of(d)));
}

double MeteredOperator::seconds() const { return watch_ ? watch_->seconds() : seconds_; }

double MeteredOperator::bytes_per_second() const {
  const double taken = seconds();
  if (taken <= 0) return 0;
  return static_cast<double>(bytes_moved_) * static_cast<double>(timed_products_) / taken;
}

}  // namespace cisolve::solver
