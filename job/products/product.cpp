#include "job/products/product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/stopwatch.hpp"
#include "job/problem/source.hpp"
#include "job/products/timing.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {
namespace {

// Rounding error of a sum of `terms` terms in any order; at least 1e-14.
double allowed_error(Index terms) {
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  return std::max(1e-14, static_cast<double>(terms) * unit);
}

struct RowError {
  double error = 0;
  bool passed = true;
};

RowError check_row(const sparse::Row& row, base::ConstBlock x, base::ConstBlock y) {
  RowError worst;
  const double allowed = allowed_error(std::ssize(row.columns));
  for (int j = 0; j < x.columns; ++j) {
    long double sum = 0;  // wider than the product's own sum
    double magnitude = 0;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const double term = row.values[k] * x(row.columns[k], j);
      sum += static_cast<long double>(row.values[k]) * x(row.columns[k], j);
      magnitude += std::abs(term);
    }
    const auto difference = static_cast<double>(std::abs(sum - y(row.number, j)));
    double error = difference == 0 ? 0 : difference / magnitude;
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error > allowed) worst.passed = false;
    worst.error = std::max(worst.error, error);
  }
  return worst;
}

/// Reorders vectors from canonical order to that of a partition.
base::MultiVector in_order(base::MultiVector vectors, const ci::Partition* order) {
  if (order == nullptr || order->is_canonical()) return vectors;
  base::MultiVector moved(vectors.backend(), vectors.rows(), vectors.columns());
  for (int j = 0; j < vectors.columns(); ++j)
    for (Index row = 0; row < vectors.rows(); ++row)
      moved(row, j) = vectors(order->canonical(row), j);
  return moved;
}

}  // namespace

double MeasuredProduct::gflops() const {
  return 2e-9 * static_cast<double>(nonzeros) * vectors / times.median;
}

double MeasuredProduct::gbytes() const {
  return 12e-9 * static_cast<double>(nonzeros) / times.median;
}

ProductCheck check_product(const sparse::RowSource& rows, base::ConstBlock x, base::ConstBlock y,
                           const base::Backend& host) {
  const auto lengths = sparse::row_lengths(rows, host);
  base::Array<RowError> errors(host, lengths.size(), "the errors of the rows");
  sparse::for_each_row(rows, lengths.span(), host,
                       [&](const sparse::Row& row) { errors[row.number] = check_row(row, x, y); });
  ProductCheck check{.passed = true};
  for (Index row = 0; row < errors.size(); ++row) {
    check.passed &= errors[row].passed;
    if (errors[row].error <= check.max_error) continue;
    check.max_error = errors[row].error;
    check.worst_row = row;
  }
  return check;
}

MeasuredProduct describe_matrix(const sparse::SparseMatrix& matrix, double build_seconds) {
  return {.format = std::string(matrix.format()),
          .backend = std::string(matrix.backend().name()),
          .boundary = matrix.boundary(),
          .nonzeros = matrix.nonzeros(),
          .memory = matrix.memory(),
          .build_seconds = build_seconds,
          .built_by = std::string(base::name_of(matrix.built_by())),
          .is_coded = matrix.values() == sparse::ValueEncoding::coded};
}

MeasuredProduct describe_computed(const base::LinearOperator& product, const base::Backend& backend,
                                  double set_up_seconds) {
  const std::string name(backend.name());
  return {.format = product.description().format,
          .backend = name,
          .boundary = 0,
          .nonzeros = 0,  // the elements are not counted
          .memory = {.held = product.description().bytes_held},
          .build_seconds = set_up_seconds,
          .built_by = name};
}

MeasuredProduct describe_mixed(const ci::PartlyStoredProduct& product, const base::Backend& backend,
                               double set_up_seconds) {
  MeasuredProduct found = describe_computed(product, backend, set_up_seconds);
  found.format = product.storage().format;
  found.nonzeros = product.nonzeros();
  found.stored = StoredPart();
  const sparse::SparseMatrix* stored = product.stored();
  if (stored == nullptr) return found;
  const MeasuredProduct part = describe_matrix(*stored, set_up_seconds);
  found.boundary = part.boundary;
  found.built_by = part.built_by;
  found.is_coded = part.is_coded;
  found.memory.padding = part.memory.padding;
  found.stored = {stored->shape().rows, part.nonzeros, part.memory.held};
  return found;
}

const ci::Partition* order_of(const ProblemRows& rows, const PreparedProduct& prepared) {
  if (prepared.rows_in == RowsIn::stored_order) return nullptr;
  const DeterminantProblem* molecule = determinant_problem_of(rows);  // orbits have one order
  return molecule == nullptr ? nullptr : molecule->partition.get();
}

ProductCheck check_product(const sparse::RowSource& rows, const ci::Partition* order,
                           const base::MultiVector& x, const base::MultiVector& y) {
  const base::Backend host = x.backend().host();
  const base::MultiVector x_on_host = in_order(x.to(host), order);
  const base::MultiVector y_on_host = in_order(y.to(host), order);
  return check_product(rows, x_on_host.block(), y_on_host.block(), host);
}

void measure_product(PreparedProduct& prepared, const base::Backend& backend,
                     const ProblemRows& rows, const Request::Product& how) {
  MeasuredProduct& result = prepared.description;
  result.vectors = static_cast<int>(how.vectors);
  base::MultiVector x(backend, rows->shape().columns, result.vectors, "the vectors x");
  base::MultiVector y(backend, rows->shape().rows, result.vectors, "the vectors y");
  base::block_kernels(backend).randomise(backend, static_cast<std::uint64_t>(how.seed), x.block());
  Samples samples;
  time_product(*prepared.product, backend, x.block(), y.block(), {.dropped = 2, .runs = how.repeat},
               samples);
  result.times = samples.summary();
  result.check = check_product(*rows, order_of(rows, prepared), x, y);
}

}  // namespace cisolve::job
