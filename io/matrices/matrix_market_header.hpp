#pragma once

#include "io/files/mapped_file.hpp"
#include "io/matrices/matrix_market.hpp"

namespace cisolve::io {

struct MatrixMarketHeader {
  MatrixMarketInfo info;
  const char* body;  // begins after the size line
};

/// Refuses sizes that exceed the rest of the file before anything is allocated.
MatrixMarketHeader parse_matrix_market_header(const MappedFile& file);

}  // namespace cisolve::io
