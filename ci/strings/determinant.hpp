#pragma once

#include <string>
#include <string_view>

#include "ci/integrals/integrals.hpp"
#include "ci/strings/string.hpp"

namespace cisolve::ci {

/// |alpha string> x |beta string>: all alpha creators to the left of all beta ones, orbitals
/// ascending. Ordered by alpha, then by beta.
struct Determinant {
  String alpha;
  String beta;
  const String& operator[](Spin spin) const { return spin == Spin::alpha ? alpha : beta; }
  friend bool operator==(const Determinant&, const Determinant&) = default;
  friend auto operator<=>(const Determinant&, const Determinant&) = default;
};

/// How many electrons of either spin `excited` has in orbitals that `reference` leaves empty.
inline int excitation_level(const Determinant& reference, const Determinant& excited) {
  return excitation_level(reference.alpha, excited.alpha) +
         excitation_level(reference.beta, excited.beta);
}

/// The lowest orbitals filled in their order.
Determinant aufbau(int alpha_electrons, int beta_electrons);

/// One token: occupations 2, u, d or 0, orbital 1 at the left; orbitals that are left out are
/// empty. Two tokens: the alpha and the beta bits, orbital 1 at the right. Throws Fault::bad_input.
Determinant parse_determinant(std::string_view text, int orbitals);

/// The form of one token, without blanks.
Determinant parse_occupations(std::string_view token, int orbitals);

/// One bit string, orbital 1 at the right. Throws Fault::bad_input.
String parse_string(std::string_view bits, int orbitals);

/// The one-token form, as long as there are orbitals.
std::string to_text(const Determinant& determinant, int orbitals);

}  // namespace cisolve::ci
