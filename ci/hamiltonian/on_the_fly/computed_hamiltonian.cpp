#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"

#include <utility>

#include "ci/hamiltonian/on_the_fly/block_builder.hpp"
#include "sparse/rows/shape.hpp"

namespace cisolve::ci {

ComputedHamiltonian::ComputedHamiltonian(const HamiltonianRows& h)
    : h_(h), blocks_(BlockBuilder::found(h)) {
  if (blocks_) work_ = blocks_->work();
  work_.walk = h.work();
}

ComputedHamiltonian::~ComputedHamiltonian() = default;

ComputedProductPtr ComputedHamiltonian::product(const base::Backend& backend) {
  if (work_.by_blocks && !blocks_) blocks_ = BlockBuilder::found(h_);
  const auto found = std::exchange(blocks_, nullptr);
  const bool is_host = backend.is_host();
  if (found) {
    BlockTables tables(*found, backend);
    return is_host ? by_blocks(std::move(tables)) : cuda::by_blocks(std::move(tables));
  }
  if (!is_host) sparse::require_storable(h_.shape());  // walks on a device use 32-bit columns
  if (is_host && h_.finds_rows_together()) return by_rows(h_);
  if (auto lists = ListTables::of(h_, backend))
    return is_host ? by_lists(h_, std::move(*lists)) : cuda::by_lists(h_, std::move(*lists));
  return is_host ? by_rows(h_) : cuda::by_rows(h_, backend);
}

}  // namespace cisolve::ci
