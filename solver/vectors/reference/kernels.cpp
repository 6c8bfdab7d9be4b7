#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/vectors/host_kernels.hpp"

// Serial; each operation follows its definition.
namespace cisolve::solver::reference {
namespace {

class ReferenceKernels final : public HostKernels {
 public:
  void divide_by_shifted(const Backend& /*backend*/, ConstBlock d, std::span<const double> shifts,
                         double floor, ConstBlock x, Block y) const override {
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i) y(i, j) = x(i, j) / guarded(d(i, 0) - shifts[j], floor);
  }

  void sqrt_of_distances(const Backend& /*backend*/, ConstBlock d, double shift, double floor,
                         Block y) const override {
    for (Index i = 0; i < y.rows; ++i) y(i, 0) = root_of_distance(d(i, 0), shift, floor);
  }

  Extrema extrema(const Backend& /*backend*/, ConstBlock column) const override {
    Extrema found{column(0, 0), column(0, 0)};
    for (Index i = 1; i < column.rows; ++i) {
      found.lowest = std::min(found.lowest, column(i, 0));
      found.largest = std::max(found.largest, column(i, 0));
    }
    return found;
  }

  std::vector<Index> lowest(const Backend& /*backend*/, ConstBlock column,
                            Index count) const override {
    std::vector<Index> rows(column.rows);
    std::iota(rows.begin(), rows.end(), Index{0});
    std::ranges::stable_sort(rows, [&](Index a, Index b) {
      const double x = column(a, 0);
      const double y = column(b, 0);
      return x < y || (std::isnan(y) && !std::isnan(x));
    });
    rows.resize(std::min(count, column.rows));
    std::ranges::sort(rows);
    return rows;
  }
};

}  // namespace

const Kernels& kernels() {
  static const ReferenceKernels kernels;
  return kernels;
}

}  // namespace cisolve::solver::reference
