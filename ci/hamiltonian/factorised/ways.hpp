#pragma once

#include <memory>
#include <vector>

#include "base/operator.hpp"
#include "base/ranks/shared_operator.hpp"
#include "ci/fock/spaces/dealt_strings.hpp"
#include "ci/hamiltonian/factorised/couplings.hpp"
#include "ci/hamiltonian/factorised/product_blocks.hpp"
#include "ci/hamiltonian/parity/spin_flip.hpp"

namespace cisolve::ci {

/// The tables of a factorised product, in the host's memory.
struct Factors {
  Index rows = 0;
  std::vector<ProductBlock> blocks;
  Couplings couplings;
  std::optional<SpinFlip> flip;
};

/// First row of each alpha string, and the end.
std::span<const Index> first_rows(const Factors& factors);

/// First row of each alpha string in y if none is left out.
std::vector<Index> all_places(const Couplings& couplings);

// Operators on the host, on ranks, on a device.

std::unique_ptr<base::LinearOperator> factors_on_host(Factors factors, const base::Backend& host);
base::SharedOperator factors_on_ranks(Factors factors, const base::Communicator& ranks,
                                      const base::Backend& backend);

namespace cuda {
std::unique_ptr<base::LinearOperator> factors(Factors factors, const base::Backend& device);
/// `places`: the first row of each alpha string among this rank's rows; -1 if another rank has it.
std::unique_ptr<base::LinearOperator> shared_factors(const Factors& factors,
                                                     const DealtStrings& strings,
                                                     const std::vector<Index>& places,
                                                     const base::Communicator& ranks,
                                                     const base::Backend& device);
}  // namespace cuda

}  // namespace cisolve::ci
