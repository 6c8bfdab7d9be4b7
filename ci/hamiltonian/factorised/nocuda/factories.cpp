#include "ci/hamiltonian/factorised/factories.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

std::unique_ptr<base::LinearOperator> factorised_on_device(FactorisedParts /*factors*/,
                                                           const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

std::unique_ptr<base::LinearOperator> factorised_on_devices(const FactorisedParts& /*factors*/,
                                                            const StringPartition& /*strings*/,
                                                            const std::vector<Index>& /*places*/,
                                                            const base::Communicator& /*ranks*/,
                                                            const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
