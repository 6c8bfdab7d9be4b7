#pragma once

#include "base/backend.hpp"

// Memory of a search space.
namespace cisolve::solver {

using base::Backend;
using base::Index;

/// Memory left for the vectors of a search space.
struct MemoryForSpace {
  Index bytes = 0;       // memory of the backend
  Index host_bytes = 0;  // memory of a device's host
  bool on_host = true;
  Index rows = 0;       // rows of this rank
  Index dimension = 0;  // rows of all ranks

  static MemoryForSpace of(const Backend& backend, Index rows, Index dimension);
};

/// Number of columns that fit, each with a vector, its image and the scratch of Vectors::rotate(),
/// next to the diagonal.
Index columns_that_fit(const MemoryForSpace& memory);

/// Columns in double precision of a staged search space: with one state, only its own. Several
/// states may be degenerate, and the rounding error of one would have components along the others.
inline Index exact_columns(Index states, Index columns) { return states == 1 ? 1 : columns; }

/// Number of columns that fit on the host, with one free vector and image on the device. 0 if not
/// even the states fit.
Index staged_columns_that_fit(const MemoryForSpace& memory, Index states);

/// Least free bytes for `columns`; may exceed the range of Index.
double least_bytes_for(Index columns, bool on_host, Index rows, Index dimension);
/// Least free bytes of a device and of its host for staged columns.
struct StagedBytes {
  double device;
  double host;
};
StagedBytes least_staged_bytes_for(Index columns, Index states, Index rows);

/// Rows of a piece of vectors that are transferred between ranks, and that are rotated.
Index transfer_rows(bool on_host, Index dimension);
Index scratch_rows(bool on_host, Index rows);

}  // namespace cisolve::solver
