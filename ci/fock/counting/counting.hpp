#pragma once

#include <span>

#include "ci/fock/counting/counting_number.hpp"
#include "ci/fock/spaces/spaces.hpp"

// Exact sizes of spaces without building them: sums over shells of equivalent orbitals, in
// milliseconds for a molecule and 0.5 s for 256 electrons in 256 orbitals. Irreps enter through the
// characters of the group of XOR labels: the number of objects of irrep I is the mean over all
// characters chi of chi(I) sum_x chi(x), and this sum is a product over orbitals. All throw
// ErrorKind::bad_input for impossible spaces.
namespace cisolve::ci {

struct SpaceCount {
  BigCount determinants;
  /// Ordered pairs of determinants, diagonal included, that the Slater-Condon rules and the irreps
  /// of the orbitals allow: an exact count, and an upper bound on the non-zero elements of H.
  BigCount pattern;
};

SpaceCount count_full_ci(const Sector& sector);

/// The determinants at any of these excitation levels from one reference.
SpaceCount count_excited_space(const Sector& sector, const Determinant& reference,
                               std::span<const int> levels);

SpaceCount count_restricted_active_space(const Sector& sector, const RasLimits& limits);

/// Counts the determinants; takes negligible time for any size.
BigCount full_ci_dimension(const Sector& sector);

/// Determinants without doubly occupied orbitals (t-J model); ignores irreps.
BigCount singly_occupied_dimension(const Sector& sector);
BigCount restricted_dimension(const Sector& sector, const RasLimits& limits);
/// A lower bound, exact for one reference: the largest count of any single reference.
BigCount excited_dimension_lower_bound(const Sector& sector,
                                       std::span<const Determinant> references,
                                       std::span<const int> levels);

/// Strings of one spin within `level` excitations of a given string.
BigCount count_strings(int orbitals, int electrons, int level);

/// An upper bound: the sum over the references, which counts a determinant near two of them twice,
/// or the whole sector if that is smaller.
BigCount multi_reference_upper_bound(const Sector& sector, std::span<const Determinant> references,
                                     std::span<const int> levels);

/// Numbers of configuration state functions of spin S = twice_spin / 2, one for each multiplet of 2
/// S + 1 values of Ms. The result depends only on the total number of electrons, not on Ms.
BigCount count_full_ci_csfs(const Sector& sector, int twice_spin);

/// CSFs of the configurations at these excitation levels from the reference's occupations, a level
/// being half the sum of |occupation changes|. For a closed-shell reference they span the space of
/// count_excited_space over all Ms.
BigCount count_excited_csfs(const Sector& sector, const Determinant& reference,
                            std::span<const int> levels, int twice_spin);

BigCount count_restricted_active_csfs(const Sector& sector, const RasLimits& limits,
                                      int twice_spin);

}  // namespace cisolve::ci
