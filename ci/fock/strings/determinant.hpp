#pragma once

#include <string>
#include <string_view>

#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/strings/string.hpp"

namespace cisolve::ci {

/// |alpha string> x |beta string>: alpha creation operators to the left of beta ones, orbitals
/// ascending in each. Ordered by alpha string, then by beta string.
struct Determinant {
  String alpha;
  String beta;
  const String& operator[](Spin spin) const { return spin == Spin::alpha ? alpha : beta; }
  friend bool operator==(const Determinant&, const Determinant&) = default;
  friend auto operator<=>(const Determinant&, const Determinant&) = default;
};

/// The excitation level: electrons of both spins that `excited` has in orbitals empty in
/// `reference`.
inline int excitation_level(const Determinant& reference, const Determinant& excited) {
  return excitation_level(reference.alpha, excited.alpha) +
         excitation_level(reference.beta, excited.beta);
}

/// The aufbau determinant: the lowest orbitals of each spin are filled.
Determinant aufbau(int alpha_electrons, int beta_electrons);

/// One token: occupations 2, u, d or 0, orbital 1 first; missing trailing orbitals are empty. Two
/// tokens: alpha and beta bit strings, orbital 1 last. Throws ErrorKind::bad_input.
Determinant parse_determinant(std::string_view text, int orbitals);

/// Parses the one-token form, which must hold no blanks.
Determinant parse_occupations(std::string_view token, int orbitals);

/// Parses one bit string, orbital 1 last. Throws ErrorKind::bad_input.
String parse_string(std::string_view bits, int orbitals);

/// The one-token form with a character for every orbital.
std::string to_text(const Determinant& determinant, int orbitals);

}  // namespace cisolve::ci
