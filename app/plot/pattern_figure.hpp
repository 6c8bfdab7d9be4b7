#pragma once

#include <string>

#include "app/plot/script.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::app {

/// Where a matrix has its elements, with the Reference region drawn in. Of a large matrix some
/// pieces are looked at, spread evenly, so that it costs no more than a small one.
Figure pattern_figure(const sparse::RowSource& rows, const std::string& title);

}  // namespace cisolve::app
