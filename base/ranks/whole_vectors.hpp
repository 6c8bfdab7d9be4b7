#pragma once

#include "base/block.hpp"
#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::base {

class VectorExchange;

// Conversion between distributed vectors and whole ones in canonical order. Collective.

/// Gathers into rank 0's whole vectors; those of other ranks are ignored.
void gather(const VectorExchange& vectors, const Layout& layout, ConstBlock mine, Block whole);

/// Scatters rank 0's whole vectors; those of other ranks are ignored.
void scatter(const VectorExchange& vectors, const Layout& layout, ConstBlock whole, Block mine);

// As above with rank 0's whole vectors in host memory and distributed ones on devices: in pieces,
// through a little memory of the first device.
void gather_to_host(const VectorExchange& vectors, const Layout& layout, ConstBlock mine,
                    Block whole);
void scatter_from_host(const VectorExchange& vectors, const Layout& layout, ConstBlock whole,
                       Block mine);

/// Whole vectors on rank 0, in host memory; no rows on other ranks. Vectors that are so already are
/// returned unchanged.
MultiVector whole_vectors(const Communicator& ranks, const Layout& layout, MultiVector mine);

/// Gathers on the vectors' backend, if rank 0 has memory there.
MultiVector whole_on_backend_or_host(const Communicator& ranks, const Layout& layout,
                                     MultiVector mine);

/// Distributes rank 0's whole vectors, in host memory, by a layout. Other ranks give vectors
/// without rows.
MultiVector distributed_vectors(const Communicator& ranks, const Layout& layout, MultiVector whole);

}  // namespace cisolve::base
