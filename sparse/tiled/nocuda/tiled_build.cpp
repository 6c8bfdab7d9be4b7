#include "base/error.hpp"
#include "sparse/tiled/tiled.hpp"

namespace cisolve::sparse {

Tiled build_tiled(const DeviceRows& /*rows*/, const TileGeometry& /*geometry*/,
                  Index /*scratch_bytes*/) {
  throw base::BackendNotBuilt("cuda");
}

Tiled build_tiled_on_device(const RowSource& /*rows*/, const TileGeometry& /*geometry*/,
                            const base::Backend& /*device*/, Index /*scratch_bytes*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::sparse
