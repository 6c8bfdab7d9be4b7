#pragma once

#include <memory>
#include <vector>

#include "base/operator.hpp"
#include "base/ranks/shared_operator.hpp"
#include "ci/factorised/couplings.hpp"
#include "ci/factorised/product_blocks.hpp"
#include "ci/factorised/spin_flip.hpp"

namespace cisolve::ci {

/// All that a factorised product is made of, in the host's memory.
struct Factors {
  Index rows = 0;
  std::vector<ProductBlock> blocks;
  Couplings couplings;
  std::optional<SpinFlip> flip;
};

// Where the product may be taken.

std::unique_ptr<base::LinearOperator> factors_on_host(Factors factors, const base::Backend& host);
base::SharedOperator factors_on_ranks(Factors factors, const base::Communicator& ranks,
                                      const base::Backend& host);

namespace cuda {
std::unique_ptr<base::LinearOperator> factors(const Factors& factors, const base::Backend& device);
}  // namespace cuda

}  // namespace cisolve::ci
