#include "sparse/rows/value_table.hpp"

#include <algorithm>

namespace cisolve::sparse {

std::vector<double> DistinctMagnitudes::sorted() const {
  if (overflows()) return {};
  std::vector<double> magnitudes(found_.begin(), found_.end());
  std::ranges::sort(magnitudes);
  return magnitudes;
}

}  // namespace cisolve::sparse
