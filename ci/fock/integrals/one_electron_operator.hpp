#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/small_matrix.hpp"
#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {

inline constexpr int kMostComponents = 64;
/// Names with a meaning; any other operator has expectation values and transition moments alone.
inline constexpr std::string_view kDipole = "dipole";      // electric: -r of each electron
inline constexpr std::string_view kVelocity = "velocity";  // d/dr of each electron, antisymmetric

/// A one-electron operator of one or more components,
///
///   O = constant + sum_s sum_pq o^s_pq a+_ps a_qs,
///
/// over real orbitals. o is symmetric or antisymmetric; the latter stands for the Hermitian
/// operator -i O, such as momentum and angular momentum, and has no constant.
struct OneElectronOperator {
  std::string name;
  std::vector<std::string> components;  // such as x, y, z
  std::string unit;
  bool antisymmetric = false;
  std::vector<double> constants;         // nuclei and closed shells that are not among the orbitals
  std::vector<base::SmallMatrix> alpha;  // o_pq of each component
  std::vector<base::SmallMatrix> beta = {};          // empty: as alpha
  std::optional<std::array<double, 3>> origin = {};  // x, y, z in bohr
  std::string origin_note = {};                      // explains the choice of origin
  std::optional<double> core_charge = {};            // charge of all that the constants account for

  const base::SmallMatrix& matrix(Spin spin, std::size_t component) const {
    return spin == Spin::alpha || beta.empty() ? alpha[component] : beta[component];
  }
};

using OneElectronOperators = std::vector<OneElectronOperator>;

/// The operator of that name, or null.
const OneElectronOperator* operator_named(const OneElectronOperators& operators,
                                          std::string_view name);

/// Throws ErrorKind::bad_input, as "source: /dipole/x: what is wrong; what was expected", unless
/// names are words, differ, and are of at most 64 letters, numbers and underscores; shapes are
/// those of `orbitals`; all numbers are finite; and matrices have the symmetry that they claim. If
/// integrals are `spin_dependent`, matrices of beta orbitals are required, else refused.
void require_sound(const OneElectronOperators& operators, int orbitals, bool spin_dependent,
                   std::string_view source);

/// The operator over the `active` orbitals (from 0), with those in `frozen` doubly occupied, whose
/// part is added to the constants.
OneElectronOperator in_active_orbitals(const OneElectronOperator& whole,
                                       std::span<const int> frozen, std::span<const int> active);

}  // namespace cisolve::ci
