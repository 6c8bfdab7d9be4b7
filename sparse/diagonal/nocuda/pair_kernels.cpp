#include "sparse/diagonal/pair_kernels.hpp"

#include "base/error.hpp"

namespace cisolve::sparse::cuda {

std::unique_ptr<DevicePairs> place_pairs(const base::Backend& /*backend*/,
                                         const ProductPairs& /*all*/, PairAlgorithm /*way*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::sparse::cuda
