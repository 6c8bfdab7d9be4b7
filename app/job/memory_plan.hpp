#pragma once

#include <span>
#include <string>
#include <vector>

#include "sparse/matrix.hpp"

namespace cisolve::app {

using base::Index;

struct PlannedFormat {
  sparse::FormatOptions options;  // with a number for an automatic BOUNDARY
  sparse::MemoryUse memory;
};

/// What every format would hold of a matrix, known before anything is built. `lengths` are those of
/// its rows; the column policy of the hybrid format reads the rows as well, a chunk at a time. The
/// tiled format is estimated.
std::vector<PlannedFormat> plan_formats(const sparse::RowSource& rows,
                                        std::span<const sparse::Column> lengths,
                                        const sparse::FormatOptions& options,
                                        const base::Backend& host);

/// What the format of the options would hold of a matrix, likewise.
PlannedFormat plan_format(const sparse::RowSource& rows, std::span<const sparse::Column> lengths,
                          const sparse::FormatOptions& options, const base::Backend& host);

}  // namespace cisolve::app
