#include "sparse/diagonal/pair_kernels.hpp"

#include <algorithm>
#include <array>

#include "base/loops.hpp"

// A thread computes some rows of a result diagonal; their sums stay in the L1 cache.
namespace cisolve::sparse::openmp {
namespace {

constexpr Index kOutputRowsAtOnce = 1024;

void add_pair(const double* a, const double* b, double* sums, Index count) {
  for (Index i = 0; i < count; ++i) sums[i] += a[i] * b[i];
}

void write_output(const double* sums, double beta, double* target, Index count) {
  for (Index i = 0; i < count; ++i) target[i] = beta == 0 ? sums[i] : sums[i] + beta * target[i];
}

void multiply_output_rows(const ProductPairs& all, Index output, Index first, Index last,
                          const double* a, const double* b, double beta, double* c) {
  std::array<double, kOutputRowsAtOnce> sums{};
  for (Index pair = all.offsets[output]; pair < all.offsets[output + 1]; ++pair) {
    const Index from = std::max(first, all.first_row(output, pair));
    const Index to = std::min(last, all.last_row(output, pair));
    if (from < to)
      add_pair(a + all.pairs[pair].a + from, b + all.pairs[pair].b + from,
               sums.data() + (from - first), to - from);
  }
  write_output(sums.data(), beta, c + all.outputs[output].base + first, last - first);
}

}  // namespace

void multiply_pairs(const base::Backend& backend, const ProductPairs& all, const double* a,
                    const double* b, double beta, double* c) {
  base::for_each_chunk(std::ssize(all.outputs), 1, backend, [&](Index output, Index) {
    const Index end = all.last_row(output);
    for (Index first = all.first_row(output); first < end; first += kOutputRowsAtOnce)
      multiply_output_rows(all, output, first, std::min(end, first + kOutputRowsAtOnce), a, b, beta,
                           c);
  });
}

}  // namespace cisolve::sparse::openmp
