#include "ci/hamiltonian/rows/slater_condon.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

/// sum_p h_pp + sum_{p<q} [(pp|qq) - (pq|qp)]
double energy_of(const Integrals& integrals, Spin spin, std::span<const std::uint8_t> occupied) {
  double energy = 0;
  for (std::size_t i = 0; i < occupied.size(); ++i) {
    const int p = occupied[i];
    energy += integrals.one(spin, p, p);
    for (std::size_t j = 0; j < i; ++j) {
      const int q = occupied[j];
      energy += integrals.two(spin, p, p, spin, q, q) - integrals.two(spin, p, q, spin, q, p);
    }
  }
  return energy;
}

base::Array<double> energies(const Space& space, const Integrals& integrals, Spin spin) {
  if (space.orbitals() != integrals.orbitals())
    base::fail(base::ErrorKind::bad_input, "the space has ", space.orbitals(),
               " orbitals, but the integrals have ", integrals.orbitals(),
               "; expected equal numbers");
  base::Array<double> result(space.host(), std::ssize(space.strings(spin)),
                             "the energies of strings");
  for (Index s = 0; s < result.size(); ++s)
    result[s] = energy_of(integrals, spin, space.occupied(spin, s));
  return result;
}

}  // namespace

double single_value(const Integrals& integrals, Spin spin, std::span<const std::uint8_t> occupied,
                    int from, int to) {
  double value = integrals.one(spin, from, to);
  for (const int k : occupied)
    if (k != from)
      value +=
          integrals.two(spin, from, to, spin, k, k) - integrals.two(spin, from, k, spin, k, to);
  return value;
}

HamiltonianDiagonal::HamiltonianDiagonal(const Space& space, const Integrals& integrals)
    : space_(space),
      core_energy_(integrals.core_energy()),
      alpha_energy_(energies(space, integrals, Spin::alpha)),
      beta_energy_(energies(space, integrals, Spin::beta)) {
  const int n = integrals.orbitals();
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      coulomb_.push_back(integrals.two(Spin::alpha, p, p, Spin::beta, q, q));
}

double HamiltonianDiagonal::operator()(Index alpha, Index beta) const {
  double value = core_energy_ + alpha_energy_[alpha] + beta_energy_[beta];
  const auto beta_occupied = space_.occupied(Spin::beta, beta);
  for (const int p : space_.occupied(Spin::alpha, alpha)) {
    const double* row = coulomb_.data() + Index{p} * space_.orbitals();
    for (const int q : beta_occupied) value += row[q];
  }
  return value;
}

base::Array<double> HamiltonianDiagonal::all() const {
  base::Array<double> diagonal(space_.host(), space_.dimension(), "the diagonal");
  const Index alphas = std::ssize(space_.strings(Spin::alpha));
  base::for_each_chunk(alphas, 1, space_.host(), [&](Index a, Index) {
    double* next = diagonal.data() + space_.first_row(a);
    for (const StringNumber b : space_.betas_of(a)) *next++ = (*this)(a, b);
  });
  return diagonal;
}

}  // namespace cisolve::ci
