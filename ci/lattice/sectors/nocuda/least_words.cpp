#include "ci/lattice/sectors/least_words.hpp"
#include "base/error.hpp"

namespace cisolve::ci::cuda {

base::Array<SpinWord> least_words(const SpinWords& /*words*/, const SpinSector& /*sector*/,
                                  const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
