#include "bench/products/timed_backend.hpp"

#include "base/error.hpp"

namespace cisolve::bench {

std::unique_ptr<TimedBackend> timed_device(const base::Backend& /*backend*/, Index /*rate_bytes*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::bench
