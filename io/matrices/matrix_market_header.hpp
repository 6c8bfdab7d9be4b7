#pragma once

#include "io/files/mapped_file.hpp"
#include "io/matrices/matrix_market.hpp"

namespace cisolve::io {

struct MatrixMarketHeader {
  MatrixMarketInfo info;
  const char* body;  // behind the size line
};

/// Sizes that the rest of the file cannot hold are refused here, before anything is allocated.
MatrixMarketHeader parse_matrix_market_header(const MappedFile& file);

}  // namespace cisolve::io
