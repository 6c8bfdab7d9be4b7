#pragma once

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::base {

/// All rows of vectors of which each rank has those that a layout gives it, in canonical order and
/// in the memory of the host of rank 0; the other ranks get vectors without rows. What stands so
/// already is handed back as it is. All ranks call it together.
MultiVector whole_vectors(const Communicator& ranks, const Layout& layout, MultiVector mine);

/// The other way round: vectors that rank 0 alone has, whole and in the memory of the host, shared
/// out by a layout. The others give vectors without rows. All ranks call it together.
MultiVector shared_vectors(const Communicator& ranks, const Layout& layout, MultiVector whole);

/// A vector of which each rank has the rows that a layout gives it, in canonical order on every
/// rank, which has room for all of it. In the memory of the host; all ranks call it together.
void everywhere(const Communicator& ranks, const Layout& layout, const double* mine, double* whole);

}  // namespace cisolve::base
