#include "base/error.hpp"

#include <system_error>

namespace cisolve::base {

BackendNotBuilt::BackendNotBuilt(std::string_view backend)
    : Error(Fault::backend,
            concat("the ", backend, " backend is not part of this build; configure with a CUDA ",
                   "toolkit and -DCISOLVE_CUDA=ON, or choose the openmp backend")) {}

std::string system_reason(int error) { return std::generic_category().message(error); }

}  // namespace cisolve::base
