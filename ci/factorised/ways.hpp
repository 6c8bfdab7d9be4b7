#pragma once

#include <memory>
#include <vector>

#include "base/operator.hpp"
#include "base/ranks/shared_operator.hpp"
#include "ci/factorised/couplings.hpp"
#include "ci/factorised/product_blocks.hpp"
#include "ci/flip/spin_flip.hpp"
#include "ci/spaces/dealt_strings.hpp"

namespace cisolve::ci {

/// All that a factorised product is made of, in the host's memory.
struct Factors {
  Index rows = 0;
  std::vector<ProductBlock> blocks;
  Couplings couplings;
  std::optional<SpinFlip> flip;
};

/// First rows of all alpha strings, and the end.
std::span<const Index> first_rows(const Factors& factors);

/// Where the rows of each alpha string begin, where all are worked on.
std::vector<Index> all_places(const Couplings& couplings);

// Where the product may be taken.

std::unique_ptr<base::LinearOperator> factors_on_host(Factors factors, const base::Backend& host);
base::SharedOperator factors_on_ranks(Factors factors, const base::Communicator& ranks,
                                      const base::Backend& backend);

namespace cuda {
std::unique_ptr<base::LinearOperator> factors(Factors factors, const base::Backend& device);
/// `places` says where among the rows of this rank those of each alpha string begin; nowhere, -1,
/// of the others.
std::unique_ptr<base::LinearOperator> shared_factors(const Factors& factors,
                                                     const DealtStrings& strings,
                                                     const std::vector<Index>& places,
                                                     const base::Communicator& ranks,
                                                     const base::Backend& device);
}  // namespace cuda

}  // namespace cisolve::ci
