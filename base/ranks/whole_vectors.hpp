#pragma once

#include "base/block.hpp"
#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::base {

class VectorExchange;

// Vectors of which each rank has the rows that a layout gives it, and the same whole, in canonical
// order. All ranks call these together.

/// Into whole vectors of the first rank's memory; of the others' nothing is written.
void gather(const VectorExchange& vectors, const Layout& layout, ConstBlock mine, Block whole);

/// From whole vectors of the first rank's memory; of the others' nothing is read.
void scatter(const VectorExchange& vectors, const Layout& layout, ConstBlock whole, Block mine);

// The same where the whole vectors of the first rank lie in the memory of its host, and those of
// ranks on devices: piece by piece through a little of the first device's memory.
void gather_home(const VectorExchange& vectors, const Layout& layout, ConstBlock mine, Block whole);
void scatter_from_home(const VectorExchange& vectors, const Layout& layout, ConstBlock whole,
                       Block mine);

/// On rank 0, in the memory of the host; the other ranks get vectors without rows. What stands so
/// already is handed back as it is.
MultiVector whole_vectors(const Communicator& ranks, const Layout& layout, MultiVector mine);

/// The same in the memory where they lie, unless rank 0 has not the room there.
MultiVector whole_where_they_lie(const Communicator& ranks, const Layout& layout, MultiVector mine);

/// The other way round: vectors that rank 0 alone has, whole and in the memory of the host, shared
/// out by a layout. The others give vectors without rows.
MultiVector shared_vectors(const Communicator& ranks, const Layout& layout, MultiVector whole);

}  // namespace cisolve::base
