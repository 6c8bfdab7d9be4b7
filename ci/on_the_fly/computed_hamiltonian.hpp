#pragma once

#include <memory>

#include "ci/hamiltonian/hamiltonian.hpp"
#include "ci/on_the_fly/ways.hpp"
#include "ci/on_the_fly/work.hpp"

namespace cisolve::ci {

class BlockBuilder;

/// The Hamiltonian with its elements computed in each product, so that none of it is stored: first
/// what its products have to do, then, made of what was found for that, a product.
class ComputedHamiltonian {
 public:
  /// `h` must outlive it.
  explicit ComputedHamiltonian(const HamiltonianRows& h);
  ~ComputedHamiltonian();

  /// Known without a look at any row.
  const ProductWork& work() const { return work_; }

  /// By the way that is best. In canonical order, whatever the partition of `h`, which must outlive
  /// it. Vectors lie in the backend's memory; all of a block use an element that was computed once.
  /// The same bits each time. What was found is used up: another product finds it once more.
  Operator product(const base::Backend& backend);

 private:
  const HamiltonianRows& h_;
  std::unique_ptr<BlockBuilder> blocks_;  // null where the way is another one, or used up
  ProductWork work_;
};

}  // namespace cisolve::ci
