#pragma once

#include "base/backend.hpp"
#include "ci/spaces/partition.hpp"

// Where tests compute what is not about backends. Of one name, for sources that are compiled
// together.
namespace cisolve::test {

inline const base::Backend kHost = base::Backend::openmp();
inline const base::Backend kSerial = base::Backend::reference();
inline const ci::Partition kCanonical(kHost);

}  // namespace cisolve::test
