#pragma once

#include <memory>

#include "ci/hamiltonian/on_the_fly/cost.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"

namespace cisolve::ci {

class BlockBuilder;

/// The Hamiltonian with elements computed in each product: first the cost, then the operator, which
/// reuses the tables found for the cost.
class ComputedHamiltonian {
 public:
  /// `h` must outlive it.
  explicit ComputedHamiltonian(const HamiltonianRows& h);
  ~ComputedHamiltonian();

  /// Estimated from strings, without computing rows.
  const ComputedCost& work() const { return work_; }

  /// The operator in canonical order, whatever the partition of `h`, which must outlive it; picks
  /// by_blocks, by_lists or by_rows. Vectors are in the backend's memory; an element is computed
  /// once for all vectors of a block. Bitwise reproducible. Moves the tables out of this object; a
  /// further call builds them again.
  ComputedProductPtr product(const base::Backend& backend);

 private:
  const HamiltonianRows& h_;
  std::unique_ptr<BlockBuilder> blocks_;  // null if not by_blocks, or moved out
  ComputedCost work_;
};

}  // namespace cisolve::ci
