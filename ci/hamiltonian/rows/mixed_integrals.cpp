#include "ci/hamiltonian/rows/mixed_integrals.hpp"

#include <algorithm>
#include <bit>

#include "base/loops.hpp"

namespace cisolve::ci {

MixedIntegrals::MixedIntegrals(const Integrals& integrals, const VariableOrbitals& alpha,
                               const VariableOrbitals& beta, double threshold,
                               const base::Backend& host)
    : beta_pairs_(beta.pairs()),
      words_((beta_pairs_ + 63) / 64),
      values_(host, alpha.pairs() * beta_pairs_, "the alpha-beta integrals"),
      nonzeros_(host, alpha.pairs() * words_, "the alpha-beta integrals") {
  const auto fill_row = [&](int p, int q, Index pair) {
    double* values = values_.data() + pair * beta_pairs_;
    std::uint64_t* nonzeros = nonzeros_.data() + pair * words_;
    std::fill_n(nonzeros, words_, std::uint64_t{0});
    Index column = 0;
    for (const int r : beta.orbitals())
      for (const int s : beta.orbitals()) {
        if (s > r) break;
        const double value = integrals.two(Spin::alpha, p, q, Spin::beta, r, s);
        const bool is_kept = value > threshold || value < -threshold;
        values[column] = is_kept ? value : 0;
        if (is_kept) nonzeros[column / 64] |= std::uint64_t{1} << (column % 64);
        ++column;
      }
  };
  base::for_each_chunk(std::ssize(alpha.orbitals()), 1, host, [&](Index i, Index) {
    for (Index j = 0; j <= i; ++j)
      fill_row(alpha.orbitals()[i], alpha.orbitals()[j], pair_index(i, j));
  });
}

double MixedIntegrals::sources_fraction(Index alpha_pair) const {
  Index found = 0;
  for (Index w = 0; w < words_; ++w) found += std::popcount(nonzeros(alpha_pair)[w]);
  return static_cast<double>(found) / static_cast<double>(beta_pairs_);
}

}  // namespace cisolve::ci
