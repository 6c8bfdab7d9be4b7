#pragma once

#include "ci/fock/spaces/space.hpp"
#include "tests/support/slater_condon_oracle.hpp"

// States as amplitudes of occupations, and operators that act on them one by one.
namespace cisolve::test {

using State = std::map<Occupations, double>;

inline Occupations occupations(const ci::Determinant& determinant, int orbitals) {
  Occupations state(2 * orbitals, 0);
  determinant.alpha.for_each([&](int p) { state[p] = 1; });
  determinant.beta.for_each([&](int p) { state[orbitals + p] = 1; });
  return state;
}

inline State state_of(const ci::Space& space, const double* x) {
  State state;
  for (ci::Index row = 0; row < space.dimension(); ++row)
    state[occupations(space.determinant(row), space.orbitals())] = x[row];
  return state;
}

/// `step` is annihilate or create.
template <class Step>
State stepped(const State& state, int p, Step step) {
  State result;
  for (const auto& [before, amplitude] : state) {
    Occupations after = before;
    double sign = 1;
    if (step(after, p, sign)) result[after] += sign * amplitude;
  }
  return result;
}

inline State annihilated(const State& state, int p) { return stepped(state, p, annihilate); }
inline State created(const State& state, int p) { return stepped(state, p, create); }

inline double inner(const State& bra, const State& ket) {
  double sum = 0;
  for (const auto& [occupied, amplitude] : ket)
    if (const auto found = bra.find(occupied); found != bra.end()) sum += found->second * amplitude;
  return sum;
}

/// <S^2> = <S_z (S_z + 1)> + |S_+ x|^2, with S_+ = sum of a+_p,alpha a_p,beta in all of Fock space.
inline double spin_squared(const State& state, int orbitals) {
  State raised;
  double sum = 0;
  for (const auto& [occupied, amplitude] : state) {
    double ms = 0;
    for (int p = 0; p < orbitals; ++p) ms += 0.5 * (occupied[p] - occupied[orbitals + p]);
    sum += ms * (ms + 1) * amplitude * amplitude;
  }
  for (int p = 0; p < orbitals; ++p)
    for (const auto& [occupied, amplitude] : created(annihilated(state, orbitals + p), p))
      raised[occupied] += amplitude;
  return sum + inner(raised, raised);
}

}  // namespace cisolve::test
