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
  return &served_on_host_.emplace(workers_, built_.layout, *built_.prepared.product, built_.backend,
                                  RemoteProduct::Vectors::on_host);
}

void SolvedOperator::release() {
  if (served_ && workers_.rank() == 0)
    broadcast_request(workers_, {WorkerCommand::release_operators});
  served_on_host_.reset();
  served_.reset();
  built_.prepared.product.reset();
  built_.rows.reset();
}

}  // namespace cisolve::job
