#include "base/error.hpp"
#include "sparse/stored/instantiate.hpp"

namespace cisolve::sparse::cuda {

template <class View>
void multiply(const base::Backend& /*backend*/, double /*alpha*/, const View& /*a*/,
              base::ConstBlock /*x*/, double /*beta*/, base::Block /*y*/) {
  throw base::BackendNotBuilt("cuda");
}

template <class View>
void diagonal(const base::Backend& /*backend*/, const View& /*a*/, base::Block /*d*/) {
  throw base::BackendNotBuilt("cuda");
}

CISOLVE_FOR_EACH_VIEW(CISOLVE_INSTANTIATE_PRODUCTS)

}  // namespace cisolve::sparse::cuda
