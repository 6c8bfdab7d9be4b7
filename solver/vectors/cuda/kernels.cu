#include "solver/vectors/kernels.hpp"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>

#include "base/array.hpp"
#include "base/cuda/elements.cuh"
#include "base/cuda/small_transfers.cuh"
#include "solver/vectors/ordered_key.hpp"

// Elementwise operations use base's kernel; minima, maxima, counts and selections Thrust's, which
// do not depend on the order.
namespace cisolve::solver::cuda {
namespace {

using base::cuda::launch_elements;

// Rows passed as kernel arguments.
constexpr int kRowsAtOnce = 128;
using FewRows = base::cuda::KernelArray<Index, kRowsAtOnce>;
using FewValues = base::cuda::KernelArray<double, kRowsAtOnce>;

auto policy(const Backend& backend) { return thrust::cuda::par.on(backend.device().stream()); }

template <class Predicate>
Index count_rows(const Backend& backend, Index rows, Predicate predicate) {
  const thrust::counting_iterator<Index> first(0);
  return thrust::count_if(policy(backend), first, first + rows, predicate);
}

/// Whether row i has a key below `key`, or equal to it and i <= row.
struct IsSelected {
  const double* d;
  std::uint64_t key;
  Index row;
  __device__ bool operator()(Index i) const {
    const auto mine = ordered_key(d[i]);
    return mine < key || (mine == key && i <= row);
  }
};

class CudaKernels final : public Kernels {
 public:
  void divide_by_shifted(const Backend& backend, ConstBlock d, std::span<const double> shifts,
                         double floor, ConstBlock x, Block y) const override {
    const double* diagonal = d.data;
    for (int j = 0; j < y.columns; ++j) {
      const double shift = shifts[j];
      const double* in = x.column(j);
      double* out = y.column(j);
      launch_elements(backend, y.rows, 1, [=] __device__(Index i, int) {
        out[i] = in[i] / guarded(diagonal[i] - shift, floor);
      });
    }
  }

  void sqrt_of_distances(const Backend& backend, ConstBlock d, double shift, double floor,
                         Block y) const override {
    const double* diagonal = d.data;
    double* out = y.data;
    launch_elements(backend, y.rows, 1, [=] __device__(Index i, int) {
      out[i] = root_of_distance(diagonal[i], shift, floor);
    });
  }

  void gather(const Backend& backend, ConstBlock x, std::span<const Index> rows,
              SmallMatrix& values) const override {
    if (values.values().empty()) return;
    const Index count = std::ssize(rows);
    const base::cuda::PinnedResults results(backend, std::ssize(values.values()), 0);
    for (Index first = 0; first < count; first += kRowsAtOnce) {
      const auto some = rows.subspan(first, std::min<Index>(kRowsAtOnce, count - first));
      double* const to = results.numbers() + first;
      const FewRows row(some);
      launch_elements(backend, std::ssize(some), x.columns,
                      [=] __device__(Index r, int j) { to[j * count + r] = x(row[r], j); });
    }
    results.take(values.values());
  }

  void scatter(const Backend& backend, const SmallMatrix& values, std::span<const Index> rows,
               Block y) const override {
    const Index count = std::ssize(rows);
    for (int j = 0; j < y.columns; ++j)
      for (Index first = 0; first < count; first += kRowsAtOnce) {
        const Index some = std::min<Index>(kRowsAtOnce, count - first);
        const FewRows row(rows.subspan(first, some));
        const FewValues value(values.values().subspan(j * count + first, some));
        launch_elements(backend, some, 1,
                        [=] __device__(Index r, int) { y(row[r], j) = value[r]; });
      }
  }

  Extrema extrema(const Backend& backend, ConstBlock column) const override {
    const double* first = column.data;
    const double* last = first + column.rows;
    double start = 0;
    base::copy_bytes(backend, first, backend.host(), &start, Index{sizeof(double)});
    return {thrust::reduce(policy(backend), first, last, start, thrust::minimum<double>()),
            thrust::reduce(policy(backend), first, last, start, thrust::maximum<double>())};
  }

  // Bisects for the key of the last selected element, then among equal keys for its row.
  std::vector<Index> lowest(const Backend& backend, ConstBlock column, Index count) const override {
    const Index wanted = std::min(count, column.rows);
    if (wanted <= 0) return {};
    const double* d = column.data;
    const auto enough = [&](std::uint64_t key, Index row) {
      return count_rows(backend, column.rows, IsSelected{d, key, row}) >= wanted;
    };
    const auto key = first_that(std::uint64_t{0}, UINT64_MAX,
                                [&](std::uint64_t k) { return enough(k, column.rows); });
    const Index row =
        first_that(Index{-1}, column.rows - 1, [&](Index r) { return enough(key, r); });
    base::Array<Index> found(backend, wanted, "the rows of the lowest elements");
    const thrust::counting_iterator<Index> first(0);
    thrust::copy_if(policy(backend), first, first + column.rows, found.data(),
                    IsSelected{d, key, row});
    std::vector<Index> rows(wanted);
    base::copy_bytes(backend, found.data(), backend.host(), rows.data(), found.bytes());
    return rows;
  }
};

}  // namespace

const Kernels& kernels() {
  static const CudaKernels kernels;
  return kernels;
}

}  // namespace cisolve::solver::cuda
