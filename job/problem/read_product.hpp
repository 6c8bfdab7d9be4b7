#pragma once

#include <memory>

#include "base/operator.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// A square matrix whose rows each product reads anew: slow, but nothing of it is held but the
/// lengths of its rows. In the host's memory.
std::unique_ptr<base::LinearOperator> read_product(std::unique_ptr<const sparse::RowSource> rows,
                                                   const base::Backend& host);

}  // namespace cisolve::job
