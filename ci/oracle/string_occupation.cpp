#include "ci/oracle/string_occupation.hpp"

namespace cisolve::ci {

StringOccupation::StringOccupation(Spin its_spin, const String& its_string, int orbitals)
    : spin(its_spin),
      string(its_string),
      occupied(its_string.orbitals()),
      empty((String::below(orbitals) - its_string).orbitals()) {}

double energy_of(const OracleIntegrals& integrals, Spin spin, const String& string) {
  double value = 0;
  string.for_each([&](int p) {
    value += integrals.one(spin, p, p);
    string.for_each([&](int q) {
      value +=
          0.5 * (integrals.two(spin, p, p, spin, q, q) - integrals.two(spin, p, q, spin, q, p));
    });
  });
  return value;
}

double own_part(const OracleIntegrals& integrals, Spin spin, const String& string, int p, int q) {
  double value = integrals.one(spin, p, q);
  string.for_each([&](int k) {
    value += integrals.two(spin, p, q, spin, k, k) - integrals.two(spin, p, k, spin, k, q);
  });
  return value;
}

double other_part(const OracleIntegrals& integrals, Spin spin, int p, int q,
                  const String& other_string) {
  double value = 0;
  other_string.for_each([&](int k) { value += integrals.two(spin, p, q, other(spin), k, k); });
  return value;
}

}  // namespace cisolve::ci
