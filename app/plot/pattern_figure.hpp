#pragma once

#include <string>

#include "app/plot/script.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::app {

/// Sparsity pattern of a matrix with its Reference region. Large matrices are sampled in evenly
/// spaced pieces of rows.
Figure pattern_figure(const sparse::RowSource& rows, const std::string& title);

}  // namespace cisolve::app
