#pragma once

#include "base/backend.hpp"

// What a search space takes of memory.
namespace cisolve::solver {

using base::Backend;
using base::Index;

/// Bytes that are left, and vectors that are to find room in them.
struct SpaceRoom {
  Index bytes = 0;       // where vectors are worked on
  Index host_bytes = 0;  // beside a device
  bool on_host = true;
  Index rows = 0;       // of this rank
  Index dimension = 0;  // on all

  static SpaceRoom of(const Backend& backend, Index rows, Index dimension);
};

/// Columns of a search space that fit: of each a vector, its image and what Vectors::rotate()
/// needs, and the diagonal beside them.
Index columns_that_fit(const SpaceRoom& room);

/// Of a staged search space, the columns in double precision: beside one state all others are in
/// single. Several may be degenerate, and what single precision loses of one of them is in the
/// others.
inline Index exact_columns(Index states, Index columns) { return states == 1 ? 1 : columns; }

/// The same of those that are kept on the host, with a free one of each on the device. None where
/// not even the states fit.
Index staged_columns_that_fit(const SpaceRoom& room, Index states);

/// The other way round: the least bytes that are to be left, which may be more than there are
/// numbers for.
double least_bytes_for(Index columns, bool on_host, Index rows, Index dimension);
/// Likewise of a device, and of its host, for columns that are kept there.
struct StagedBytes {
  double device;
  double host;
};
StagedBytes least_staged_bytes_for(Index columns, Index states, Index rows);

/// Rows of a piece of vectors that are rotated or told.
Index rows_on_their_way(bool on_host, Index dimension);
Index scratch_rows(bool on_host, Index rows);

}  // namespace cisolve::solver
