#pragma once

#include "base/backend.hpp"
#include "ci/fock/spaces/partition.hpp"

// Host backends for tests that are not about backends; one definition, as sources are compiled
// together.
namespace cisolve::test {

inline const base::Backend kHost = base::Backend::openmp();
inline const base::Backend kSerial = base::Backend::reference();
inline const ci::Partition kCanonical(kHost);

}  // namespace cisolve::test
