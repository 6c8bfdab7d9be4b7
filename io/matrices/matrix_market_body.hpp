#pragma once

#include "base/backend.hpp"
#include "io/matrices/matrix_market_header.hpp"
#include "io/matrices/row_filler.hpp"

// The two kinds of body. Both throw a TextProblem that points into the file.
namespace cisolve::io {

/// Announces every element of a coordinate file, then puts it, in parallel.
void fill_from_coordinates(const MappedFile& file, const MatrixMarketHeader& header,
                           const base::Backend& host, RowFiller& rows);

/// Finds the two lines of the same element and throws.
[[noreturn]] void refuse_duplicate(const MappedFile& file, const MatrixMarketHeader& header,
                                   RowFiller::Position twice);

/// Announces every non-zero element of a dense array, then puts it.
void fill_from_array(const MappedFile& file, const MatrixMarketHeader& header, RowFiller& rows);

}  // namespace cisolve::io
