#include "sparse/formats/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/error.hpp"
#include "base/loops.hpp"

namespace cisolve::sparse {
namespace {

constexpr Index kRowsPerChunk = 256;

double element(const CsrView& a, Index row, Index column) {
  const Column* begin = a.column + a.offsets[row];
  const Column* end = a.column + a.offsets[row + 1];
  const Column* found = std::lower_bound(begin, end, column);
  return found != end && *found == column ? a.value[found - a.column] : 0.0;
}

double difference(double a, double b) {
  const double distance = std::abs(a - b);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

Asymmetry asymmetry_of_rows(const CsrView& a, Index first, Index last) {
  Asymmetry worst{0, first, 0};
  for (Index row = first; row < last; ++row)
    for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const double distance = difference(a.value[k], element(a, a.column[k], row));
      if (distance > worst.largest) worst = {distance, row, a.column[k]};
    }
  return worst;
}

void require_square(const MatrixShape& shape, std::string_view source) {
  if (shape.rows != shape.columns)
    base::fail(base::ErrorKind::bad_input, source, ": the matrix is ", shape.rows, " x ",
               shape.columns, "; expected a square one, since it is to be symmetric");
}

}  // namespace

Asymmetry locate_asymmetry(const Csr& matrix, const base::Backend& host) {
  require_square(matrix.shape, "the matrix");
  Asymmetry worst;
  std::mutex guard;
  base::for_each_chunk(matrix.shape.rows, kRowsPerChunk, host, [&](Index first, Index last) {
    const Asymmetry here = asymmetry_of_rows(matrix.view(), first, last);
    const std::lock_guard lock(guard);
    if (here.largest > worst.largest || (here.largest == worst.largest && here.row < worst.row))
      worst = here;
  });
  return worst;
}

double asymmetry(const Csr& matrix, const base::Backend& host) {
  return locate_asymmetry(matrix, host).largest;
}

void require_symmetric(const Csr& matrix, std::string_view source, const base::Backend& host,
                       double tolerance) {
  require_square(matrix.shape, source);
  const Asymmetry worst = locate_asymmetry(matrix, host);
  if (worst.largest <= tolerance) return;
  base::fail(base::ErrorKind::bad_input, source,
             ": the matrix is not symmetric: max |H - H^T| = ", worst.largest, " at row ",
             worst.row + 1, ", column ", worst.column + 1, "; expected at most ", tolerance);
}

}  // namespace cisolve::sparse
