#include "base/error.hpp"

#include <system_error>

namespace cisolve::base {
namespace {

std::string without_nul(std::string text) {
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\\x00");
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(without_nul(message)), kind_(kind) {}

BackendNotBuilt::BackendNotBuilt(std::string_view backend)
    : Error(ErrorKind::backend,
            concat("the ", backend, " backend is not part of this build; configure with a CUDA ",
                   "toolkit and -DCISOLVE_CUDA=ON, or choose the openmp backend")) {}

std::string system_reason(int error) { return std::generic_category().message(error); }

}  // namespace cisolve::base
