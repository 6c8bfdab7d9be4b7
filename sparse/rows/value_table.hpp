#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/array.hpp"
#include "base/host_device.hpp"

namespace cisolve::sparse {

using base::Index;

/// Magnitudes that many elements of a matrix have, ascending, each once. An element is then the
/// number of its magnitude and a sign.
struct ValueTableView {
  const double* magnitudes = nullptr;
  Index size = 0;

  /// Of a value with this magnitude, to the bit; -1 where there is none.
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

/// Collects magnitudes as long as there are not too many of them.
class DistinctMagnitudes {
 public:
  explicit DistinctMagnitudes(Index most) : most_(most) {}

  /// Zero is none.
  void add(double value) {
    if (value != 0 && !overflows()) found_.insert(value < 0 ? -value : value);
  }
  bool overflows() const { return std::ssize(found_) > most_; }
  /// Ascending; none where there are too many.
  std::vector<double> sorted() const;

 private:
  Index most_;
  std::unordered_set<double> found_;
};

}  // namespace cisolve::sparse
