#include <algorithm>

#include "base/cuda/context.hpp"
#include "base/fill.hpp"
#include "bench/diagonal/rivals.hpp"

// Algorithm 2 of the 2024 paper: one thread for each element of A visits the diagonals of B, finds
// the matching element by the two rules and adds the product to C atomically. Its remedy for
// divergence: several threads per element, each with a part of the diagonals of B.
namespace cisolve::bench {
namespace {

using sparse::DiagonalTerm;

struct PaperProduct {
  Index n;
  Index count_a;
  Index count_b;
  const DiagonalTerm* a;
  const DiagonalTerm* b;
  const Index* base_of_c;  // [shift + n - 1]
  const double* values_a;
  const double* values_b;
  double* c;
};

template <int Threads>
__global__ void paper_kernel(const PaperProduct p) {
  const Index thread = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  const Index element = thread / Threads;
  const Index diagonal = blockIdx.y;
  const Index shift = p.a[diagonal].shift;
  const Index row = element + max(Index{0}, -shift);
  if (row >= p.n || row + shift >= p.n) return;
  const double value = p.values_a[p.a[diagonal].base + row];
  const Index j = row + shift;
  for (Index t = thread % Threads; t < p.count_b; t += Threads) {
    const DiagonalTerm term = p.b[t];
    const Index column = j + term.shift;
    if (column < 0 || column >= p.n) continue;
    atomicAdd(p.c + p.base_of_c[column - row + p.n - 1] + row, value * p.values_b[term.base + j]);
  }
}

template <int Threads>
void launch(const PaperProduct& p, cudaStream_t stream) {
  constexpr int block = 256;
  const dim3 grid(static_cast<unsigned>((p.n * Threads + block - 1) / block),
                  static_cast<unsigned>(p.count_a));
  paper_kernel<Threads><<<grid, block, 0, stream>>>(p);
  base::cuda::check_launch("paper_kernel");
}

}  // namespace

Measured paper_product(const sparse::Diagonal& a, const sparse::Diagonal& b,
                       const sparse::Diagonal& c, int threads, const sparse::Diagonal& expected) {
  const base::Backend& device = a.values.backend();
  const Index n = a.shape.rows;
  std::vector<Index> base_of_c(2 * n - 1, 0);
  for (const auto& [base, shift] : sparse::DiagonalOperand{c}.terms())
    base_of_c[shift + n - 1] = base;
  const auto bases = base::Array<Index>::copy_of(base_of_c, device, "the diagonals of C");
  sparse::Diagonal result = c.to(device);
  const PaperProduct p{n,
                       a.terms.size(),
                       b.terms.size(),
                       a.terms.data(),
                       b.terms.data(),
                       bases.data(),
                       a.values.data(),
                       b.values.data(),
                       result.values.data()};
  const auto stream = device.device().stream();
  Measured measured{.name = base::concat("paper, ", threads, " threads an element")};
  measured.seconds = measured.value_seconds = best_seconds(device, 2, [&] {
    base::fill_bytes(result.values, 0);
    switch (threads) {
      case 1: launch<1>(p, stream); break;
      case 4: launch<4>(p, stream); break;
      default: launch<13>(p, stream); break;
    }
  });
  measured.error = error_of(result, expected);
  return measured;
}

}  // namespace cisolve::bench
