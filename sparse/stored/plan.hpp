#pragma once

#include <span>
#include <vector>

#include "sparse/stored/matrix.hpp"

// What every format would hold of a matrix, known before anything is built. `lengths` are those of
// its rows; the column policy of the hybrid format reads the rows as well, a chunk at a time. The
// tiled format is estimated.
namespace cisolve::sparse {

struct PlannedFormat {
  FormatOptions options;  // with a number for an automatic BOUNDARY
  MemoryUse memory;
};

/// Of the format that the options name.
PlannedFormat plan_format(const RowSource& rows, std::span<const Column> lengths,
                          const FormatOptions& options, const base::Backend& backend);

/// The plan of each format, in the order of format_names(); those of diagonals are left out if the
/// options name none of them and has_far_too_many_diagonals(). A block_size is meant for the format
/// that the options name; the others are planned with their own.
std::vector<PlannedFormat> plan_formats(const RowSource& rows, std::span<const Column> lengths,
                                        const FormatOptions& options, const base::Backend& backend);

}  // namespace cisolve::sparse
