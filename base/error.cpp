#include "base/error.hpp"

namespace cisolve::base {

BackendNotBuilt::BackendNotBuilt(std::string_view backend)
    : Error(Fault::backend,
            concat("the ", backend, " backend is not part of this build; configure with a CUDA ",
                   "toolkit and -DCISOLVE_CUDA=ON, or choose the openmp backend")) {}

}  // namespace cisolve::base
