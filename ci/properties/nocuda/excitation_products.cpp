#include "ci/properties/excitation_products.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

std::unique_ptr<ExcitationProducts> excitation_products(const ExcitationRows& /*rows*/,
                                                        const Space& /*space*/, const double* /*x*/,
                                                        const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
