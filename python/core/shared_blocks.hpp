#pragma once

#include <nanobind/nanobind.h>

#include "base/backend.hpp"
#include "base/block.hpp"
#include "base/multivector.hpp"

// Blocks of a backend's memory, on a device too, between us and other libraries, by DLPack.
namespace cisolve::python {

/// What others see of a block whose values are there, without a copy: an object with `__dlpack__`.
/// It is good as long as the block is.
nanobind::object shared_view(base::ConstBlock block, const base::Backend& backend);

/// The same of vectors that live as long as anyone sees them.
nanobind::object shared_vectors(base::MultiVector vectors);

/// Copies what a function has given for y: numbers in double precision of its shape, on the same
/// device, each column contiguous. What the other library has queued there is waited for.
void take(nanobind::handle given, base::Block y, const base::Backend& backend);

}  // namespace cisolve::python
