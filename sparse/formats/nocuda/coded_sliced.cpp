#include "sparse/formats/coded_sliced.hpp"

#include "base/error.hpp"

namespace cisolve::sparse {

std::optional<CodedSliced> build_coded_sliced(const DeviceRows& /*rows*/,
                                              const FormatOptions& /*options*/, Index /*scratch*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::sparse
