#include "sparse/diagonal/pair_kernels.hpp"

// Element by element in extended precision: the oracle of the other backends.
namespace cisolve::sparse::reference {

void multiply_pairs(const base::Backend& /*backend*/, const ProductPairs& all, const double* a,
                    const double* b, double beta, double* c) {
  for (Index k = 0; k < std::ssize(all.outputs); ++k)
    for (Index row = all.first_row(k); row < all.last_row(k); ++row) {
      long double sum = 0;
      for (Index pair = all.offsets[k]; pair < all.offsets[k + 1]; ++pair)
        if (row >= all.first_row(k, pair) && row < all.last_row(k, pair))
          sum += static_cast<long double>(a[all.pairs[pair].a + row]) * b[all.pairs[pair].b + row];
      double& target = c[all.outputs[k].base + row];
      target = static_cast<double>(beta == 0 ? sum : sum + beta * target);
    }
}

}  // namespace cisolve::sparse::reference
