#pragma once

#include <span>

#include "ci/counting/counting_number.hpp"
#include "ci/spaces/spaces.hpp"

// How large a space is, without building it: sums over shells of equivalent orbitals, milliseconds
// for a molecule, half a second for 256 electrons in 256 orbitals, and exact whatever the size.
// Irreps come in through the characters of the group of XOR labels: the number of things of irrep I
// is the mean over all characters chi of chi(I) times the sum of chi over all things, and that sum
// is a product over orbitals. Each throws Fault::bad_input for a space that cannot be.
namespace cisolve::ci {

struct SpaceCount {
  BigCount determinants;
  /// Pairs of determinants, ordered, each with itself included, that the Slater-Condon rules
  /// connect and that the irreps of the orbitals allow: what a matrix of no accidental zeros would
  /// store. Exact; the number of non-zero elements is at most this.
  BigCount pattern;
};

SpaceCount count_full_ci(const Sector& sector);

/// The determinants at any of these levels of excitation from one reference.
SpaceCount count_excited_space(const Sector& sector, const Determinant& reference,
                               std::span<const int> levels);

SpaceCount count_restricted_active_space(const Sector& sector, const RasLimits& limits);

/// The determinants alone, which takes no time whatever the size.
BigCount full_ci_dimension(const Sector& sector);

/// No orbital with two electrons; irreps are not heeded.
BigCount single_occupied_dimension(const Sector& sector);
BigCount restricted_dimension(const Sector& sector, const RasLimits& limits);
/// Of one reference exactly; of several at least: those of the one that has most.
BigCount least_excited_dimension(const Sector& sector, std::span<const Determinant> references,
                                 std::span<const int> levels);

/// The strings of one spin with at most `level` electrons moved from one of them.
BigCount count_strings(int orbitals, int electrons, int level);

/// An upper bound on a multi-reference space: the sum over the references, in which a determinant
/// near two of them counts twice, or all of the sector where that is fewer. The union itself is
/// known only once it is built.
BigCount most_multi_reference(const Sector& sector, std::span<const Determinant> references,
                              std::span<const int> levels);

/// The numbers of configuration state functions of spin S = twice_spin / 2, of which one stands for
/// the 2 S + 1 values of Ms. Electrons of both spins together count; how the sector divides them
/// does not matter.
BigCount count_full_ci_csfs(const Sector& sector, int twice_spin);

/// Of the configurations whose level of excitation from the reference's occupations (half the sum
/// of the changes of the orbitals' occupations) is one of these. For a closed-shell reference they
/// span the same space as the determinants of count_excited_space over all Ms.
BigCount count_excited_csfs(const Sector& sector, const Determinant& reference,
                            std::span<const int> levels, int twice_spin);

BigCount count_restricted_active_csfs(const Sector& sector, const RasLimits& limits,
                                      int twice_spin);

}  // namespace cisolve::ci
