#include <algorithm>
#include <limits>

#include "solver/vectors/host_kernels.hpp"
#include "solver/vectors/ordered_key.hpp"

// Rows are divided among threads. Minima, maxima and counts do not depend on the order.
namespace cisolve::solver::openmp {
namespace {

template <class Predicate>
Index count_rows(const Backend& backend, Index rows, Predicate predicate) {
  Index count = 0;
#pragma omp parallel for schedule(static) num_threads(backend.threads()) reduction(+ : count)
  for (Index i = 0; i < rows; ++i) count += predicate(i) ? 1 : 0;
  return count;
}

class OpenmpKernels final : public HostKernels {
 public:
  void divide_by_shifted(const Backend& backend, ConstBlock d, std::span<const double> shifts,
                         double floor, ConstBlock x, Block y) const override {
    for (int j = 0; j < y.columns; ++j) {
      const double* diagonal = d.data;
      const double* in = x.column(j);
      double* out = y.column(j);
      const double shift = shifts[j];
#pragma omp parallel for simd schedule(static) num_threads(backend.threads())
      for (Index i = 0; i < y.rows; ++i) out[i] = in[i] / guarded(diagonal[i] - shift, floor);
    }
  }

  void sqrt_of_distances(const Backend& backend, ConstBlock d, double shift, double floor,
                         Block y) const override {
    const double* diagonal = d.data;
    double* out = y.data;
#pragma omp parallel for simd schedule(static) num_threads(backend.threads())
    for (Index i = 0; i < y.rows; ++i) out[i] = root_of_distance(diagonal[i], shift, floor);
  }

  Extrema extrema(const Backend& backend, ConstBlock column) const override {
    double lowest = column(0, 0);
    double largest = column(0, 0);
#pragma omp parallel for schedule(static) num_threads(backend.threads()) reduction(min       \
                                                                                   : lowest) \
    reduction(max                                                                            \
              : largest)
    for (Index i = 0; i < column.rows; ++i) {
      lowest = std::min(lowest, column(i, 0));
      largest = std::max(largest, column(i, 0));
    }
    return {lowest, largest};
  }

  // Bisects for the key of the last selected element, then takes equal keys in row order: no copy
  // of the column, all passes parallel.
  std::vector<Index> lowest(const Backend& backend, ConstBlock column, Index count) const override {
    const Index wanted = std::min(count, column.rows);
    if (wanted <= 0) return {};
    const double* d = column.data;
    const auto key = first_that(std::uint64_t{0}, UINT64_MAX, [&](std::uint64_t k) {
      return count_rows(backend, column.rows, [=](Index i) { return ordered_key(d[i]) <= k; }) >=
             wanted;
    });
    const Index below =
        count_rows(backend, column.rows, [=](Index i) { return ordered_key(d[i]) < key; });
    std::vector<Index> rows;
    rows.reserve(wanted);
    Index equals = wanted - below;
    for (Index i = 0; i < column.rows && std::ssize(rows) < wanted; ++i) {
      const auto mine = ordered_key(d[i]);
      if (mine < key || (mine == key && equals-- > 0)) rows.push_back(i);
    }
    return rows;
  }
};

}  // namespace

const Kernels& kernels() {
  static const OpenmpKernels kernels;
  return kernels;
}

}  // namespace cisolve::solver::openmp
