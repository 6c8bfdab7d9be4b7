#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ci/fock/spaces/space.hpp"

// Builders of the spaces that a user can name. A complete active space is full CI over integrals
// with the frozen core folded in. All throw ErrorKind::bad_input for impossible requests and
// ErrorKind::resources before they exceed the host's memory budget.
namespace cisolve::ci {

class DeterminantIndex;

/// Orbitals, electrons and, if `irrep` is set, the symmetry of the determinants.
struct Sector {
  int orbitals = 0;
  int alpha_electrons = 0;
  int beta_electrons = 0;
  std::vector<int> irreps = {};             // XOR labels of the orbitals, 0 to 7
  std::optional<int> irrep = std::nullopt;  // XOR label of the determinants; nullopt: any
};

Space full_ci(const Sector& sector, const base::Backend& host);

/// Determinants at the given excitation levels (both spins together) from any reference: {0, 1} is
/// CIS, {0, 2} CID, {0, 1, 2} CISD; multi-reference CI with several references.
Space excited_space(const Sector& sector, std::span<const Determinant> references,
                    std::span<const int> levels, const base::Backend& host);

/// {0, 1, ..., level}
std::vector<int> levels_up_to(int level);

/// Restricted active space (RAS): at most `holes` electrons missing from ras1 and at most
/// `particles` in ras3, both spins together.
struct RasLimits {
  std::vector<int> ras1;
  std::vector<int> ras3;
  int holes = 0;
  int particles = 0;
};
Space restricted_active_space(const Sector& sector, const RasLimits& limits,
                              const base::Backend& host);

/// Space of listed determinants, in any order. Refuses duplicates and determinants outside the
/// sector.
Space list_space(const Sector& sector, const DeterminantIndex& determinants,
                 const base::Backend& host);
Space list_space(const Sector& sector, std::span<const Determinant> determinants,
                 const base::Backend& host);

/// Every alpha string with every beta string.
Space product_space(const Sector& sector, std::span<const String> alphas,
                    std::span<const String> betas, const base::Backend& host);

/// The irrep of a string: the XOR of the labels of its orbitals.
int irrep_of(const String& string, std::span<const int> irreps);

}  // namespace cisolve::ci
