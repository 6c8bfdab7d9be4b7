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
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {

/// How far y is from A x, row by row, in terms of the sum of |a||x| of the row.
struct ProductCheck {
  bool passed = false;
  double max_error = 0;
  Index worst_row = 0;  // from 0
};

/// Computes A x again, straight from the source of the rows, so that it shares neither storage nor
/// kernel with what made y. Both blocks lie in host memory.
ProductCheck check_product(const sparse::RowSource& rows, base::ConstBlock x, base::ConstBlock y,
                           const base::Backend& host);
/// The same for vectors on any backend, in canonical order where that of the rows is given.
ProductCheck check_product(const sparse::RowSource& rows, const ci::Partition* order,
                           const base::MultiVector& x, const base::MultiVector& y);

/// What is stored of a matrix whose other rows are computed.
struct StoredPart {
  Index rows = 0;
  Index nonzeros = 0;
  Index bytes = 0;
};

/// y = A x in one format on one backend: what it cost and whether it is right.
struct MeasuredProduct {
  std::string format;
  std::string backend;
  Index boundary = 0;
  Index nonzeros = 0;
  sparse::MemoryUse memory;
  int vectors = 1;
  double build_seconds = 0;
  std::string built_by = {};                        // the backend that did
  bool is_coded = false;                            // its values are
  std::optional<StoredPart> stored = std::nullopt;  // where other rows are computed
  Times times = {};                                 // of one product
  ProductCheck check = {};

  double gflops() const;  // 2 nnz / T a vector
  double gbytes() const;  // 12 bytes a non-zero in each product, whatever the format really moves
};

/// A stored matrix before its product is measured.
MeasuredProduct describe_matrix(const sparse::SparseMatrix& matrix, double build_seconds);

/// One that stores nothing, or some rows where a part of it does.
MeasuredProduct describe_computed(const base::LinearOperator& product, const base::Backend& backend,
                                  double set_up_seconds);
MeasuredProduct describe_mixed(const ci::PartlyStoredProduct& product, const base::Backend& backend,
                               double set_up_seconds);

/// A product that can be taken, and what is known of it.
struct PreparedProduct {
  std::unique_ptr<base::LinearOperator> product;
  RowsIn rows_in = RowsIn::stored_order;
  MeasuredProduct description;
};

/// In which the rows of the source stand; null where the product has them in the same order.
const ci::Partition* order_of(const ProblemRows& rows, const PreparedProduct& prepared);

/// Times a product and checks it against the rows it was made from.
void measure_product(PreparedProduct& prepared, const base::Backend& backend,
                     const ProblemRows& rows, const Request::Product& how);

}  // namespace cisolve::job
