#include "ci/hamiltonian/direct_side.hpp"

namespace cisolve::ci {

Side::Side(Spin its_spin, const String& its_string, int orbitals)
    : spin(its_spin),
      string(its_string),
      occupied(its_string.orbitals()),
      empty((String::below(orbitals) - its_string).orbitals()) {}

double diagonal_of(const Integrals& integrals, const Side& a, const Side& b) {
  double value = integrals.core_energy();
  for (const Side* side : {&a, &b})
    for (const int p : side->occupied) {
      value += integrals.one(side->spin, p, p);
      for (const int q : side->occupied)
        value += 0.5 * (integrals.two(side->spin, p, p, side->spin, q, q) -
                        integrals.two(side->spin, p, q, side->spin, q, p));
    }
  for (const int p : a.occupied)
    for (const int q : b.occupied) value += integrals.two(Spin::alpha, p, p, Spin::beta, q, q);
  return value;
}

double own_part(const Integrals& integrals, const Side& side, int p, int q) {
  double value = integrals.one(side.spin, p, q);
  for (const int k : side.occupied)
    value += integrals.two(side.spin, p, q, side.spin, k, k) -
             integrals.two(side.spin, p, k, side.spin, k, q);
  return value;
}

double other_part(const Integrals& integrals, Spin spin, int p, int q, const Side& other) {
  double value = 0;
  for (const int k : other.occupied) value += integrals.two(spin, p, q, other.spin, k, k);
  return value;
}

base::Index doubles_of(const Side& side) {
  const auto n = std::ssize(side.occupied);
  const auto m = std::ssize(side.empty);
  return n * (n - 1) / 2 * (m * (m - 1) / 2);
}

}  // namespace cisolve::ci
