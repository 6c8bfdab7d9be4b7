#include "job/run/state_vectors.hpp"

#include <utility>

namespace cisolve::job {

StateVectors::StateVectors(const JobContext& job, base::Backend device, base::Backend host)
    : job_(job), device_(std::move(device)), host_(std::move(host)) {}

StateVectors::~StateVectors() {
  if (releases_) job_.listener.release();
}

void StateVectors::move_to_device_if_it_fits() {
  if (!are_on_host() || device_.is_host()) return;
  run_catching_shortage(MemoryOf::device, [&] {
    base::MultiVector there = vectors().to(device_);
    if (is_lent_ && !copy_) copy_.emplace(std::move(result().vectors));  // the listener reads it
    result().vectors = std::move(there);
  });
}

// Copies device vectors only if the host could still take over the following work.
void StateVectors::lend(const DeterminantProblem* molecule, Index reserve, HostStateBuffer buffer) {
  if (!are_on_host()) {
    const Index bytes = vectors().rows() * vectors().columns() * Index{sizeof(double)};
    const Index left = host_.host_memory().left() + buffer.bytes();
    if ((left - reserve) / 3 < bytes) return;
    copy_.emplace(buffer.copy_of(vectors(), host_));
  }
  is_lent_ = true;
  job_.listener.states_lent({on_host().block(), result().layout, molecule});
}

base::MultiVector StateVectors::copied_to_host(const base::MultiVector& vectors) {
  if (!copy_) return vectors.to(host_);
  base::MultiVector home = std::move(*copy_);
  copy_.reset();
  return home;
}

}  // namespace cisolve::job
