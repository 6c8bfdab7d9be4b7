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

/// Whether a request allows computed elements: the basis is of determinants or site states, and no
/// storage format is named.
bool may_compute(const Request& request);
/// Whether a request forbids stored elements: all are computed or factorised into string matrices.
bool must_compute(const Request& request);
bool must_factorise(const Request& request);
/// Whether some elements are to be stored, and the others computed.
bool must_mix(const Request& request);
/// Whether stored values must be codes, as far as they can be.
bool must_code(const Request& request);

/// Whether the format is left to the program, and may hold values as they are.
bool leaves_format(const Request& request);

/// Whether a choice depends on the rows and their strings on every backend, so that they may be
/// examined before the backend is known.
bool learns_anywhere(const Request& request);

/// Whether plans for a host depend on the rows: on the cost of computing elements, or on the number
/// of non-zero diagonals.
bool depends_on_rows(const Request& request);

/// Whether a matrix may have few non-zero diagonals. A generated CI-like matrix has many.
bool may_have_diagonals(const Request& request);

/// The number of vectors that the products of a request's solution take at once.
int vectors_at_once(const Request& request);

}  // namespace cisolve::job
