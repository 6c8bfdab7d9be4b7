#pragma once

#include <memory>
#include <vector>

#include "base/operator.hpp"
#include "base/ranks/distributed_operator.hpp"
#include "ci/fock/spaces/string_partition.hpp"
#include "ci/hamiltonian/factorised/opposite_spin.hpp"
#include "ci/hamiltonian/factorised/same_spin_blocks.hpp"
#include "ci/hamiltonian/parity/alpha_beta_swap.hpp"

namespace cisolve::ci {

/// The tables of a factorised product, in the host's memory.
struct FactorisedParts {
  Index rows = 0;
  std::vector<SameSpinBlock> blocks;
  OppositeSpinTables opposite_spin;
  std::optional<AlphaBetaSwap> swap;
};

/// First row of each alpha string, and the end.
std::span<const Index> first_rows(const FactorisedParts& factors);

/// First row of each alpha string in y if none is left out.
std::vector<Index> all_places(const OppositeSpinTables& opposite_spin);

// Operators on the host, on ranks, on a device.

std::unique_ptr<base::LinearOperator> factorised_on_host(FactorisedParts factors,
                                                         const base::Backend& host);
base::DistributedOperator factorised_on_ranks(FactorisedParts factors,
                                              const base::Communicator& ranks,
                                              const base::Backend& backend);

namespace cuda {
std::unique_ptr<base::LinearOperator> factorised_on_device(FactorisedParts factors,
                                                           const base::Backend& device);
/// `places`: the first row of each alpha string among this rank's rows; -1 if another rank has it.
std::unique_ptr<base::LinearOperator> factorised_on_devices(const FactorisedParts& factors,
                                                            const StringPartition& strings,
                                                            const std::vector<Index>& places,
                                                            const base::Communicator& ranks,
                                                            const base::Backend& device);
}  // namespace cuda

}  // namespace cisolve::ci
