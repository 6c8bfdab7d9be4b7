#include "ci/on_the_fly/computed_hamiltonian.hpp"

#include <utility>

#include "ci/on_the_fly/block_builder.hpp"
#include "ci/on_the_fly/ways.hpp"
#include "sparse/rows/shape.hpp"

namespace cisolve::ci {

ComputedHamiltonian::ComputedHamiltonian(const HamiltonianRows& h)
    : h_(h), blocks_(BlockBuilder::found(h)) {
  if (blocks_) work_ = blocks_->work();
  work_.walk = h.work();
}

ComputedHamiltonian::~ComputedHamiltonian() = default;

std::unique_ptr<base::LinearOperator> ComputedHamiltonian::product(const base::Backend& backend) {
  if (work_.by_blocks && !blocks_) blocks_ = BlockBuilder::found(h_);
  const auto found = std::exchange(blocks_, nullptr);
  if (!found && backend.is_host()) return by_rows(h_);
  if (!found) {
    sparse::require_storable(h_.shape());  // the walk of a device numbers columns as if they were
    return cuda::by_rows(h_, backend);
  }
  BlockTables tables(*found, backend);
  return backend.is_host() ? by_blocks(std::move(tables)) : cuda::by_blocks(std::move(tables));
}

}  // namespace cisolve::ci
