#include "ci/oracle/element.hpp"

#include "ci/oracle/string_occupation.hpp"

namespace cisolve::ci {
namespace {

double diagonal_element(const OracleIntegrals& integrals, const Determinant& determinant) {
  double value = integrals.core_energy() + energy_of(integrals, Spin::alpha, determinant.alpha) +
                 energy_of(integrals, Spin::beta, determinant.beta);
  determinant.beta.for_each(
      [&](int q) { value += other_part(integrals, Spin::beta, q, q, determinant.alpha); });
  return value;
}

/// A single excitation between two strings, and whether it changes the sign.
struct OneMove {
  OneMove(const String& start, const String& end)
      : from(first_two(start - end)[0]),
        to(first_two(end - start)[0]),
        odd(odd_move(start, from, to)) {}

  int from;
  int to;
  bool odd;
};

double single_element(const OracleIntegrals& integrals, Spin spin, const Determinant& bra,
                      const Determinant& ket) {
  const OneMove move(ket[spin], bra[spin]);
  return signed_value(move.odd,
                      own_part(integrals, spin, ket[spin], move.from, move.to) +
                          other_part(integrals, spin, move.from, move.to, ket[other(spin)]));
}

double mixed_element(const OracleIntegrals& integrals, const Determinant& bra,
                     const Determinant& ket) {
  const OneMove alpha(ket.alpha, bra.alpha);
  const OneMove beta(ket.beta, bra.beta);
  return signed_value(alpha.odd != beta.odd, integrals.two(Spin::alpha, alpha.from, alpha.to,
                                                           Spin::beta, beta.from, beta.to));
}

}  // namespace

double element(const Integrals& integrals, const Determinant& bra, const Determinant& ket) {
  const int of_alpha = distance(ket.alpha, bra.alpha);
  if (of_alpha > 2) return 0;
  const int of_beta = distance(ket.beta, bra.beta);
  if (of_alpha + of_beta > 2) return 0;
  const OracleIntegrals found(integrals);
  if (of_alpha + of_beta == 0) return diagonal_element(found, ket);
  if (of_alpha == 2) return double_between(found, Spin::alpha, ket.alpha, bra.alpha);
  if (of_beta == 2) return double_between(found, Spin::beta, ket.beta, bra.beta);
  if (of_beta == 0) return single_element(found, Spin::alpha, bra, ket);
  if (of_alpha == 0) return single_element(found, Spin::beta, bra, ket);
  return mixed_element(found, bra, ket);
}

}  // namespace cisolve::ci
