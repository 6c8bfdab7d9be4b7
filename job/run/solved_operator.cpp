#include "job/run/solved_operator.hpp"

#include <utility>

namespace cisolve::job {

SolvedOperator::SolvedOperator(const base::Communicator& workers, BuiltOperator built)
    : workers_(workers), built_(std::move(built)) {
  if (workers.size() > 1)
    served_.emplace(workers, built_.layout, *built_.prepared.product, built_.backend);
}

const base::LinearOperator* SolvedOperator::on_whole_vectors(const base::Backend& backend) {
  if (multiplies_on(backend)) return served_ ? &*served_ : built_.prepared.product.get();
  if (!served_) return nullptr;
  return &served_at_home_.emplace(workers_, built_.layout, *built_.prepared.product, built_.backend,
                                  ServedProduct::Vectors::at_home);
}

void SolvedOperator::release() {
  if (served_ && workers_.rank() == 0) told(workers_, {Wish::let_go});
  served_at_home_.reset();
  served_.reset();
  built_.prepared.product.reset();
  built_.rows.reset();
}

}  // namespace cisolve::job
