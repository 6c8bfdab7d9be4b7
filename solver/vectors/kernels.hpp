#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/backend.hpp"
#include "base/block.hpp"
#include "base/small_matrix.hpp"

namespace cisolve::solver {

using base::Backend;
using base::Block;
using base::ConstBlock;
using base::Index;
using base::SmallMatrix;

struct Extrema {
  double lowest = 0;
  double largest = 0;
};

/// Operations of an eigensolver on long vectors beyond base::BlockKernels: implemented once per
/// backend, local to this process, bitwise reproducible.
class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  /// y_ij = x_ij / (d_i - shift_j); denominators smaller than `floor` in magnitude become +-floor.
  /// x may be y.
  virtual void divide_by_shifted(const Backend& backend, ConstBlock d,
                                 std::span<const double> shifts, double floor, ConstBlock x,
                                 Block y) const = 0;

  /// y_i = sqrt(max(|d_i - shift|, floor)), for one column.
  virtual void sqrt_of_distances(const Backend& backend, ConstBlock d, double shift, double floor,
                                 Block y) const = 0;

  /// values_rj = x_(rows_r, j)
  virtual void gather(const Backend& backend, ConstBlock x, std::span<const Index> rows,
                      SmallMatrix& values) const = 0;

  /// y_(rows_r, j) = values_rj; the other elements keep their values.
  virtual void scatter(const Backend& backend, const SmallMatrix& values,
                       std::span<const Index> rows, Block y) const = 0;

  /// The lowest and the largest element of a column of at least one row.
  virtual Extrema extrema(const Backend& backend, ConstBlock column) const = 0;

  /// Rows of the `count` lowest elements of a column, ascending; of equal elements the lower rows.
  /// NaN is larger than all numbers.
  virtual std::vector<Index> lowest(const Backend& backend, ConstBlock column,
                                    Index count) const = 0;
};

/// The denominator of divide_by_shifted.
CISOLVE_HOST_DEVICE inline double guarded(double denominator, double floor) {
  if (denominator >= floor || denominator <= -floor) return denominator;
  return denominator < 0 ? -floor : floor;
}

/// One element of sqrt_of_distances.
CISOLVE_HOST_DEVICE inline double root_of_distance(double d, double shift, double floor) {
  const double distance = std::abs(d - shift);
  return std::sqrt(distance > floor ? distance : floor);
}

namespace reference {
const Kernels& kernels();
}
namespace openmp {
const Kernels& kernels();
}
namespace cuda {
const Kernels& kernels();
}

/// The operations of a backend.
const Kernels& kernels(const Backend& backend);

}  // namespace cisolve::solver
