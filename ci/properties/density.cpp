#include "ci/properties/density.hpp"

#include <algorithm>
#include <cmath>

#include "ci/properties/host_mixed_density.hpp"
#include "ci/properties/same_spin_density.hpp"
#include "ci/properties/state_sums.hpp"

namespace cisolve::ci {
namespace {

constexpr std::array kSpins{Spin::alpha, Spin::beta};

// <bra| a+_q a_p a+_s a_r |ket> = <ket| a+_p a_q a+_r a_s |bra>, given in `from`.
void mirror(std::span<const double> from, std::span<double> to, Index n) {
  for (Index p = 0; p < n; ++p)
    for (Index q = 0; q < p; ++q)
      for (Index r = 0; r < n; ++r)
        for (Index s = 0; s < n; ++s)
          to[((q * n + p) * n + s) * n + r] = from[((p * n + q) * n + r) * n + s];
}

// Sums over the terms of an energy, each passed through `of`: identity or absolute value.
template <class Of>
double same_spin_sum(const Integrals& integrals, const TwoParticleDensity& two, Spin spin,
                     const Of& of) {
  const int n = integrals.orbitals();
  double sum = 0;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (int r = 0; r < p; ++r)
        for (int s = 0; s < n; ++s)
          if (s != q) sum += of(integrals.two(spin, p, q, spin, r, s) * two.same(spin, p, q, r, s));
  return sum;  // p and r swapped, with q and s, is the same term: no factor 1/2
}

template <class Of>
double mixed_sum(const Integrals& integrals, const TwoParticleDensity& two, const Of& of) {
  const int n = integrals.orbitals();
  double sum = 0;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s)
          sum += of(integrals.two(Spin::alpha, p, q, Spin::beta, r, s) * two.mixed(p, q, r, s));
  return sum;
}

template <class Of>
double sum_of_terms(const Integrals& integrals, const OneParticleDensity& one,
                    const TwoParticleDensity& two, const Of& of) {
  double sum = of(integrals.core_energy());
  for (const Spin spin : kSpins) {
    for (int p = 0; p < integrals.orbitals(); ++p)
      for (int q = 0; q < integrals.orbitals(); ++q)
        sum += of(integrals.one(spin, p, q) * one(spin, p, q));
    sum += same_spin_sum(integrals, two, spin, of);
  }
  return sum + mixed_sum(integrals, two, of);
}

}  // namespace

base::SmallMatrix OneParticleDensity::spin_free() const {
  base::SmallMatrix sum = spin[0];
  for (std::size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += spin[1].values()[i];
  return sum;
}

OneParticleDensity transition_density(const StateSums& sums, const double* bra, const double* ket) {
  OneParticleDensity density(sums.space().orbitals());
  for (const Spin spin : kSpins)
    add_one_transition(sums, spin, bra, ket, density.spin[static_cast<std::size_t>(spin)].values());
  return density;
}

OneParticleDensity transition_density(const Space& space, const double* bra, const double* ket) {
  return transition_density(*state_sums(space), bra, ket);
}

OneParticleDensity one_particle_density(const StateSums& sums, const double* x) {
  OneParticleDensity density(sums.space().orbitals());
  for (const Spin spin : kSpins)
    sums.one_density(spin, x, density.spin[static_cast<std::size_t>(spin)].values());
  return density;
}

OneParticleDensity one_particle_density(const Space& space, const double* x) {
  return one_particle_density(*state_sums(space), x);
}

TwoParticleDensity::TwoParticleDensity(const Space& space, const double* x)
    : TwoParticleDensity(*state_sums(space), x) {}

TwoParticleDensity::TwoParticleDensity(const Space& space)
    : orbitals_(space.orbitals()),
      same_{base::Array<double>(space.host(), pairs_of(orbitals_) * pairs_of(orbitals_),
                                "a two-particle density"),
            base::Array<double>(space.host(), pairs_of(orbitals_) * pairs_of(orbitals_),
                                "a two-particle density")},
      mixed_(space.host(), Index{orbitals_} * orbitals_ * orbitals_ * orbitals_,
             "a two-particle density") {
  for (base::Array<double>* values : {&same_[0], &same_[1], &mixed_})
    std::ranges::fill(values->span(), 0.0);
}

TwoParticleDensity::TwoParticleDensity(const StateSums& sums, const double* x)
    : TwoParticleDensity(sums.space()) {
  sums.same_spin_density(Spin::alpha, x, same_[0].span());
  if (sums.has_parity(x))
    std::ranges::copy(same_[0].span(), same_[1].span().begin());
  else
    sums.same_spin_density(Spin::beta, x, same_[1].span());
  sums.mixed_density(x, mixed_.span());
  mirror(mixed_.span(), mixed_.span(), orbitals_);
}

TwoParticleDensity::TwoParticleDensity(const Space& space, const double* bra, const double* ket)
    : TwoParticleDensity(space) {
  const auto sums = state_sums(space);
  for (const Spin spin : kSpins)
    add_same_spin_transition(*sums, spin, bra, ket, same_[static_cast<std::size_t>(spin)].span());
  const HostMixedDensity mixed(space);
  mixed.add(bra, ket, mixed_.span());
  base::Array<double> back(space.host(), mixed_.size(), "a two-particle density");
  std::ranges::fill(back.span(), 0.0);
  mixed.add(ket, bra, back.span());
  mirror(back.span(), mixed_.span(), orbitals_);
}

Index TwoParticleDensity::bytes(int orbitals) {
  const Index n = orbitals;
  return Index{sizeof(double)} * (n * n * n * n + 2 * pairs_of(orbitals) * pairs_of(orbitals));
}

double TwoParticleDensity::same(Spin spin, int p, int q, int r, int s) const {
  if (p == r || q == s) return 0;
  const OrderedPair created = ordered(p, r);
  const OrderedPair taken = ordered(q, s);
  return created.sign * taken.sign *
         same_[static_cast<std::size_t>(spin)][created.place * pairs_of(orbitals_) + taken.place];
}

double TwoParticleDensity::spin_free(int p, int q, int r, int s) const {
  return same(Spin::alpha, p, q, r, s) + same(Spin::beta, p, q, r, s) + mixed(p, q, r, s) +
         mixed(r, s, p, q);
}

// S_- S_+ = number of beta electrons - sum_pq Gamma_pqqp (opposite spins).
double TwoParticleDensity::spin_squared(int alphas, int betas) const {
  const double ms = 0.5 * (alphas - betas);
  double value = ms * (ms + 1) + betas;
  for (int p = 0; p < orbitals_; ++p)
    for (int q = 0; q < orbitals_; ++q) value -= mixed(p, q, q, p);
  return value;
}

double energy(const Integrals& integrals, const OneParticleDensity& one,
              const TwoParticleDensity& two) {
  return sum_of_terms(integrals, one, two, [](double term) { return term; });
}

double energy_magnitude(const Integrals& integrals, const OneParticleDensity& one,
                        const TwoParticleDensity& two) {
  return sum_of_terms(integrals, one, two, [](double term) { return std::abs(term); });
}

}  // namespace cisolve::ci
