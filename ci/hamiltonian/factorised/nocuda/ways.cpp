#include "ci/hamiltonian/factorised/ways.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

std::unique_ptr<base::LinearOperator> factors(Factors /*factors*/,
                                              const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

std::unique_ptr<base::LinearOperator> shared_factors(const Factors& /*factors*/,
                                                     const DealtStrings& /*strings*/,
                                                     const std::vector<Index>& /*places*/,
                                                     const base::Communicator& /*ranks*/,
                                                     const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
