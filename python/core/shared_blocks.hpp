#pragma once

#include <nanobind/nanobind.h>

#include "base/backend.hpp"
#include "base/block.hpp"
#include "base/multivector.hpp"

// Exchange of blocks in host or device memory with other libraries by DLPack, without copies.
namespace cisolve::python {

/// View of a block as an object with `__dlpack__`, valid as long as the block.
nanobind::object shared_view(base::ConstBlock block, const base::Backend& backend);

/// View of vectors, which live as long as the object.
nanobind::object shared_vectors(base::MultiVector vectors);

/// Copies a function's answer into y: double precision, same shape and device, each column
/// contiguous. Waits for work that the other library has queued.
void copy_answer(nanobind::handle given, base::Block y, const base::Backend& backend);

}  // namespace cisolve::python
