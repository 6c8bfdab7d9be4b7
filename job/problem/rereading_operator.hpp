#pragma once

#include <memory>

#include "base/operator.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// The operator of a square matrix whose rows are read from their source again in each product, on
/// the host: slow, but it holds only the row lengths.
std::unique_ptr<base::LinearOperator> rereading_operator(
    std::unique_ptr<const sparse::RowSource> rows, const base::Backend& host);

}  // namespace cisolve::job
