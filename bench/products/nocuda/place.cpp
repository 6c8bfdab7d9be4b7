#include "bench/products/place.hpp"

#include "base/error.hpp"

namespace cisolve::bench {

std::unique_ptr<Place> device_place(const base::Backend& /*backend*/, Index /*rate_bytes*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::bench
