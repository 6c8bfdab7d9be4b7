#pragma once

#include <memory>

#include "base/operator.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// A square matrix in host memory whose rows are read anew in each product: slow, but only the
/// lengths of its rows are held.
std::unique_ptr<base::LinearOperator> read_product(std::unique_ptr<const sparse::RowSource> rows,
                                                   const base::Backend& host);

}  // namespace cisolve::job
