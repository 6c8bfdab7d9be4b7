#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <span>
#include <vector>

#include "base/block.hpp"

// Conversions between NumPy arrays and C++ buffers.
namespace cisolve::python {

/// Input arrays, already contiguous.
using Numbers = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
/// Arrays returned to Python: a read-only view, and one that Python owns.
using ArrayView = nanobind::ndarray<nanobind::numpy, const double>;
using NewArray = nanobind::ndarray<nanobind::numpy, double>;

/// A tuple of two counts.
using MatrixEstimate = nanobind::typed<nanobind::tuple, base::Index, base::Index>;
inline MatrixEstimate shape_of(base::Index first, base::Index second) {
  return nanobind::make_tuple(first, second);
}

inline std::size_t extent(base::Index size) { return static_cast<std::size_t>(size); }

std::vector<double> values_of(const Numbers& numbers);

/// Read-only view of row-major numbers that `owner` keeps alive.
ArrayView view_of(const double* data, std::initializer_list<std::size_t> shape,
                  nanobind::handle owner);
/// View of a block of vectors; its columns stay columns.
ArrayView view_of(base::ConstBlock block, nanobind::handle owner);

/// Allocates an uninitialised array that Python owns; row-major unless `by_columns`.
NewArray make_array(std::initializer_list<std::size_t> shape, bool by_columns = false);

}  // namespace cisolve::python
