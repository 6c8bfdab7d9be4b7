#pragma once

#include "job/request/request.hpp"

// The choices of a request about its matrix elements: storage.elements, storage.format and what
// goes with them.
namespace cisolve::job {

/// Whether a request says how elements are to be stored: in which format, or divided at which
/// BOUNDARY.
bool names_format(const Request& request);
bool names_boundary(const Request& request);
bool names_storage(const Request& request);

/// Whether a request lets elements be computed: of determinants or spins, and where no storage is
/// named.
bool may_compute(const Request& request);
/// Whether it lets no element be stored: each is computed, or string matrices take their place.
bool must_compute(const Request& request);
bool must_factorise(const Request& request);
/// Whether some elements are to be stored, and the others computed.
bool must_mix(const Request& request);
/// Whether stored values must be codes, as far as they can be.
bool must_code(const Request& request);

/// Whether the format is left to the program, and may hold values as they are.
bool leaves_format(const Request& request);

/// Whether a choice depends on what rows and their strings tell on any backend, so that they may be
/// asked before the backend is known.
bool learns_anywhere(const Request& request);

/// Whether what a host does depends on the rows: on what they tell of products that compute
/// elements, or on their diagonals.
bool depends_on_rows(const Request& request);

/// Whether rows may have few diagonals. One that is generated to be like CI has many.
bool may_have_diagonals(const Request& request);

/// The number of vectors that the products of a request's solution take at once.
int vectors_at_once(const Request& request);

}  // namespace cisolve::job
