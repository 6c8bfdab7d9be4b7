#include "ci/direct/element.hpp"

#include <array>

#include "ci/hamiltonian/slater_condon.hpp"

namespace cisolve::ci {
namespace {

std::vector<std::uint8_t> occupied(const String& string) {
  std::vector<std::uint8_t> list;
  string.for_each([&](int p) { list.push_back(static_cast<std::uint8_t>(p)); });
  return list;
}

double diagonal_element(const Integrals& integrals, const Determinant& determinant) {
  double value = integrals.core_energy();
  const auto beta = occupied(determinant.beta);
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const auto list = occupied(determinant[spin]);
    for (std::size_t i = 0; i < list.size(); ++i) {
      value += integrals.one(spin, list[i], list[i]);
      for (std::size_t j = 0; j < i; ++j)
        value += double_value(integrals, spin, list[i], list[j], list[i], list[j]);
      if (spin == Spin::alpha)
        for (const int q : beta)
          value += integrals.two(Spin::alpha, list[i], list[i], Spin::beta, q, q);
    }
  }
  return value;
}

/// The electrons that move from one string to another, at most two.
struct Moves {
  int count = 0;
  std::array<int, 2> from{};
  std::array<int, 2> to{};
  double sign = 1;
};

Moves moves_between(const String& start, const String& end, int count) {
  Moves moves;
  moves.count = count;
  int next = 0;
  (start - end).for_each([&](int p) { moves.from[next++] = p; });
  next = 0;
  (end - start).for_each([&](int p) { moves.to[next++] = p; });
  String here = start;
  for (int k = 0; k < moves.count; ++k) {
    if (is_odd(here, moves.from[k], moves.to[k])) moves.sign = -moves.sign;
    here = here.without(moves.from[k]).with(moves.to[k]);
  }
  return moves;
}

double single_element(const Integrals& integrals, const Determinant& ket, Spin spin,
                      const Moves& moves) {
  double value = single_value(integrals, spin, occupied(ket[spin]), moves.from[0], moves.to[0]);
  ket[other(spin)].for_each(
      [&](int k) { value += integrals.two(spin, moves.from[0], moves.to[0], other(spin), k, k); });
  return moves.sign * value;
}

}  // namespace

double element(const Integrals& integrals, const Determinant& bra, const Determinant& ket) {
  const int of_alpha = excitation_level(ket.alpha, bra.alpha);
  if (of_alpha > 2) return 0;
  const int of_beta = excitation_level(ket.beta, bra.beta);
  const int count = of_alpha + of_beta;
  if (count > 2) return 0;
  if (count == 0) return diagonal_element(integrals, ket);
  const Moves alpha = moves_between(ket.alpha, bra.alpha, of_alpha);
  const Moves beta = moves_between(ket.beta, bra.beta, of_beta);
  if (alpha.count == 1 && beta.count == 1)
    return alpha.sign * beta.sign *
           integrals.two(Spin::alpha, alpha.from[0], alpha.to[0], Spin::beta, beta.from[0],
                         beta.to[0]);
  const Spin spin = alpha.count > 0 ? Spin::alpha : Spin::beta;
  const Moves& moves = alpha.count > 0 ? alpha : beta;
  if (count == 1) return single_element(integrals, ket, spin, moves);
  return moves.sign *
         double_value(integrals, spin, moves.from[0], moves.from[1], moves.to[0], moves.to[1]);
}

}  // namespace cisolve::ci
