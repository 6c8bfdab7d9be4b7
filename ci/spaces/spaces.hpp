#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ci/spaces/list_order.hpp"
#include "ci/spaces/space.hpp"

// The spaces that a user can name. A complete active space is full CI over integrals into which the
// frozen core is folded. Each throws Fault::bad_input for what cannot be, and Fault::resources
// before it would hold more than the host's budget.
namespace cisolve::ci {

/// Which determinants exist at all: orbitals, electrons and, with an irrep, their symmetry.
struct Sector {
  int orbitals = 0;
  int alpha_electrons = 0;
  int beta_electrons = 0;
  std::vector<int> irreps = {};             // XOR labels of the orbitals
  std::optional<int> irrep = std::nullopt;  // the XOR label to keep; none keeps all
};

Space full_ci(const Sector& sector, const base::Backend& host);

/// The determinants at the given levels of excitation from any of the references, both spins
/// together: {0, 1} is CIS, {0, 2} CID, {0, 1, 2} CISD, and multi-reference CI with more
/// references than one.
Space excited_space(const Sector& sector, std::span<const Determinant> references,
                    std::span<const int> levels, const base::Backend& host);

/// {0, 1, ..., level}
std::vector<int> levels_up_to(int level);

/// Restricted active spaces: at most `holes` electrons missing from ras1 and at most `particles`
/// electrons in ras3, both spins together.
struct RasLimits {
  std::vector<int> ras1;
  std::vector<int> ras3;
  int holes = 0;
  int particles = 0;
};
Space restricted_active_space(const Sector& sector, const RasLimits& limits,
                              const base::Backend& host);

/// Any determinants in any order, each with the electrons of the sector, none twice.
Space list_space(const Sector& sector, const ListOrder& determinants, const base::Backend& host);
Space list_space(const Sector& sector, std::span<const Determinant> determinants,
                 const base::Backend& host);

/// Every alpha string with every beta string.
Space product_space(const Sector& sector, std::span<const String> alphas,
                    std::span<const String> betas, const base::Backend& host);

/// The irrep of a string: the XOR of the labels of its orbitals.
int irrep_of(const String& string, std::span<const int> irreps);

}  // namespace cisolve::ci
