#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <span>
#include <vector>

#include "base/block.hpp"

// NumPy's arrays and ours.
namespace cisolve::python {

/// Numbers that Python has made contiguous already.
using Numbers = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
/// Ours, as Python sees them.
using View = nanobind::ndarray<nanobind::numpy, const double>;
using Fresh = nanobind::ndarray<nanobind::numpy, double>;

/// Two counts, as Python has them.
using Counts = nanobind::typed<nanobind::tuple, base::Index, base::Index>;
inline Counts shape_of(base::Index first, base::Index second) {
  return nanobind::make_tuple(first, second);
}

inline std::size_t extent(base::Index size) { return static_cast<std::size_t>(size); }

std::vector<double> values_of(const Numbers& numbers);

/// Of numbers in rows that `owner` keeps; nobody may write to them.
View view_of(const double* data, std::initializer_list<std::size_t> shape, nanobind::handle owner);
/// Of a block of vectors: its columns stay columns.
View view_of(base::ConstBlock block, nanobind::handle owner);

/// Room for numbers that Python owns; row by row, unless `by_columns`. Not initialised.
Fresh make_array(std::initializer_list<std::size_t> shape, bool by_columns = false);

}  // namespace cisolve::python
