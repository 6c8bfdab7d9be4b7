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

/// The same of those that are kept on the host, the first `exact` of them in double precision, with
/// so many free ones on the device. None where not even these fit.
Index staged_columns_that_fit(const SpaceRoom& room, Index exact, Index desk);

/// The other way round: the least bytes that are to be left, which may be more than there are
/// numbers for.
double least_bytes_for(Index columns, bool on_host, Index rows, Index dimension);
/// Likewise of a device, and of its host, for columns that are kept there.
struct StagedBytes {
  double device;
  double host;
};
StagedBytes least_staged_bytes_for(Index columns, Index exact, Index desk, Index rows);

/// Rows of a piece of vectors that are rotated or told.
Index rows_on_their_way(bool on_host, Index dimension);
Index scratch_rows(bool on_host, Index rows);

}  // namespace cisolve::solver
