#pragma once

#include <span>
#include <vector>

#include "sparse/stored/matrix.hpp"

// Memory of every format, known before anything is built. `lengths` are the row lengths; the column
// policy of the hybrid format also reads the rows, a chunk at a time. The tiled format is
// estimated.
namespace cisolve::sparse {

struct PlannedFormat {
  FormatOptions options;  // an automatic BOUNDARY is replaced by its number
  MemoryUse memory;
};

/// Plan of the format named by the options.
PlannedFormat plan_format(const RowSource& rows, std::span<const Column> lengths,
                          const FormatOptions& options, const base::Backend& backend);

/// Plans of all formats in the order of format_names(). Diagonal formats are left out if
/// has_too_many_diagonals() and the options do not name one. A block_size applies only to the
/// format that the options name.
std::vector<PlannedFormat> plan_formats(const RowSource& rows, std::span<const Column> lengths,
                                        const FormatOptions& options, const base::Backend& backend);

}  // namespace cisolve::sparse
