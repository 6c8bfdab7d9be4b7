#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/array.hpp"
#include "base/host_device.hpp"

namespace cisolve::sparse {

using base::Index;

/// Magnitudes common to many elements, ascending and distinct. An element is coded as the index of
/// its magnitude and a sign.
struct ValueTableView {
  const double* magnitudes = nullptr;
  Index size = 0;

  /// Index of a value's magnitude, compared bitwise; -1 if absent.
  CISOLVE_HOST_DEVICE Index number_of(double value) const {
    const double magnitude = value < 0 ? -value : value;
    Index first = 0;
    for (Index last = size; first < last;) {
      const Index middle = (first + last) / 2;
      if (magnitudes[middle] < magnitude)
        first = middle + 1;
      else
        last = middle;
    }
    return first < size && magnitudes[first] == magnitude ? first : -1;
  }
};

/// Collects distinct magnitudes up to a limit.
class DistinctMagnitudes {
 public:
  explicit DistinctMagnitudes(Index most) : most_(most) {}

  /// Ignores zero.
  void add(double value) {
    if (value != 0 && !overflows()) found_.insert(value < 0 ? -value : value);
  }
  bool overflows() const { return std::ssize(found_) > most_; }
  /// Ascending; empty after an overflow.
  std::vector<double> sorted() const;

 private:
  Index most_;
  std::unordered_set<double> found_;
};

}  // namespace cisolve::sparse
