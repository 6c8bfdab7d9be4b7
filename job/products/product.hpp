#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/multivector.hpp"
#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"
#include "job/problem/problem_rows.hpp"
#include "job/problem/watched_rows.hpp"
#include "job/products/timing.hpp"
#include "job/request/request.hpp"
#include "job/results/job_results.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {

/// Computes A x again, straight from the source of the rows: independent of the storage and the
/// kernel that made y. Both blocks are in host memory.
ProductCheck check_product(const sparse::RowSource& rows, base::ConstBlock x, base::ConstBlock y,
                           const base::Backend& host);
/// Checks a product of vectors on any backend; they are in canonical order if `order`, that of the
/// rows, is not null.
ProductCheck check_product(const sparse::RowSource& rows, const ci::Partition* order,
                           const base::MultiVector& x, const base::MultiVector& y);

/// Description of a stored matrix, not yet timed.
MeasuredProduct describe_matrix(const sparse::SparseMatrix& matrix, double build_seconds);

/// Description of a product that stores nothing, or some rows, not yet timed.
MeasuredProduct describe_computed(const base::LinearOperator& product, const base::Backend& backend,
                                  double set_up_seconds);
MeasuredProduct describe_mixed(const ci::PartlyStoredProduct& product, const base::Backend& backend,
                               double set_up_seconds);

/// A product with its row order and description.
struct PreparedProduct {
  std::unique_ptr<base::LinearOperator> product;
  RowsIn rows_in = RowsIn::stored_order;
  MeasuredProduct description;
};

/// The order of the source's rows; null if the product has the same.
const ci::Partition* order_of(const ProblemRows& rows, const PreparedProduct& prepared);

/// Times a product and checks it against its rows.
void measure_product(PreparedProduct& prepared, const base::Backend& backend,
                     const ProblemRows& rows, const Request::Product& how);

}  // namespace cisolve::job
