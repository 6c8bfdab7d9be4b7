#include "sparse/rows/device_offsets.hpp"

#include "base/error.hpp"

namespace cisolve::sparse {

base::Array<Index> offsets_on_device(const base::Array<Column>& /*lengths*/,
                                     std::string_view /*what*/) {
  throw base::BackendNotBuilt("cuda");
}

void accumulate_offsets_on_device(const base::Backend& /*device*/, const Column* /*lengths*/,
                                  Index /*count*/, Index /*before*/, Index* /*offsets*/) {
  throw base::BackendNotBuilt("cuda");
}

Index total_on_device(const base::Array<Column>& /*lengths*/) {
  throw base::BackendNotBuilt("cuda");
}

base::Array<Index> slice_offsets_on_device(const base::Array<Column>& /*lengths*/, Index /*height*/,
                                           std::string_view /*what*/) {
  throw base::BackendNotBuilt("cuda");
}

base::Array<Index> rows_of_slices(const base::Array<Index>& /*slice_offsets*/, Index /*height*/,
                                  Index /*rows*/, std::string_view /*what*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::sparse
