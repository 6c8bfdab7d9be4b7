#include "ci/fock/integrals/same_orbitals.hpp"

#include <cmath>

namespace cisolve::ci {
namespace {

// Orbitals that differ by d change an integral by d^2 or more, and <S^2> by d^2.
constexpr double kSame = 1e-8;

bool differ(double a, double b) { return !(std::abs(a - b) <= kSame); }

bool have_same_repulsion(const Integrals& v, int p, int q) {
  for (int r = 0; r < v.orbitals(); ++r)
    for (int s = 0; s <= r; ++s) {
      const double mixed = v.two(Spin::alpha, p, q, Spin::beta, r, s);
      if (differ(v.two(Spin::alpha, p, q, Spin::alpha, r, s), mixed) ||
          differ(v.two(Spin::beta, p, q, Spin::beta, r, s), mixed))
        return false;
    }
  return true;
}

}  // namespace

bool have_same_orbitals(const Integrals& integrals) {
  if (!integrals.spin_dependent()) return true;
  for (int p = 0; p < integrals.orbitals(); ++p)
    for (int q = 0; q <= p; ++q)
      if (differ(integrals.one(Spin::alpha, p, q), integrals.one(Spin::beta, p, q)) ||
          !have_same_repulsion(integrals, p, q))
        return false;
  return true;
}

}  // namespace cisolve::ci
