#pragma once

#include <optional>
#include <span>

#include "base/array.hpp"
#include "ci/selected/selected_list.hpp"

// A list that has all determinants of each of its configurations (the same orbitals doubly and
// singly occupied, the same Ms) is closed under S^2, so that its states have a spin.
namespace cisolve::ci {

/// The determinant that stands for its configuration: alpha electrons in the lowest open shells.
template <int W>
PackedDeterminant<W> first_coupling(const PackedDeterminant<W>& determinant);

/// How many determinants its configuration has. Throws ErrorKind::bad_input for more than
/// SpinFunctions::kMostOpen open shells.
template <int W>
Index couplings_of(const PackedDeterminant<W>& determinant);

/// All determinants of the configurations of `some` that are not in `list`: ascending, without
/// repeats. Throws ErrorKind::bad_input for more than SpinFunctions::kMostOpen open shells, and
/// ErrorKind::resources.
template <int W>
base::Array<PackedDeterminant<W>> with_spin_partners(const SelectedList<W>& list,
                                                     std::span<const PackedDeterminant<W>> some);

/// Adds all that is missing of the configurations of a list; see SelectedList::add. Does nothing
/// and returns none if the list is complete.
template <int W>
std::optional<base::Array<Index>> complete_spin(SelectedList<W>& list);

}  // namespace cisolve::ci
