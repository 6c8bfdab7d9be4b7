#pragma once

#include <limits>
#include <span>

#include "base/array.hpp"
#include "ci/selected/heat_bath.hpp"
#include "ci/selected/packed_determinant.hpp"

namespace cisolve::ci {

/// No connection of a determinant has been generated.
inline constexpr double kNotExpanded = std::numeric_limits<double>::infinity();

/// Selected determinants in canonical order (by alpha, then by beta), none twice; row i of a vector
/// belongs to determinants()[i]. Memory is counted in the host's budget: 16 W + 8 bytes a row.
template <int W>
class SelectedList {
 public:
  /// `determinants` may be in any order. Repeats are merged; repeats() says how many there were.
  /// Throws ErrorKind::bad_input for a determinant with other numbers of electrons, or with an
  /// orbital that does not exist, and ErrorKind::resources if the budget is too small.
  SelectedList(int orbitals, SpinElectrons electrons, std::span<const Determinant> determinants,
               const base::Backend& host);

  int orbitals() const { return orbitals_; }
  SpinElectrons electrons() const { return electrons_; }
  const base::Backend& host() const { return determinants_.backend(); }
  Index size() const { return determinants_.size(); }
  Index repeats() const { return repeats_; }
  std::span<const PackedDeterminant<W>> determinants() const { return determinants_.span(); }

  /// The smallest t to which each row is expanded: all determinants with |H| >= t are in the
  /// list. kNotExpanded if it is not.
  std::span<const double> expanded_to() const { return expanded_to_.span(); }
  /// Forgets all expansions. Required after determinants were removed.
  void forget_expansions();

  /// Whether with each determinant all others of its configuration and Ms are in the list.
  bool is_spin_complete() const { return is_spin_complete_; }

  /// The row of a determinant, or -1.
  Index row_of(const PackedDeterminant<W>& determinant) const;

  /// Adds determinants that are ascending, without repeats and not in the list; they are not
  /// expanded. `is_spin_complete`: whether the list is afterwards. `expanded_to`: for each row
  /// before a threshold to which it has been expanded too; or none. Returns the new row of each old
  /// one. If it throws ErrorKind::resources, the list is as before.
  base::Array<Index> add(std::span<const PackedDeterminant<W>> fresh, bool is_spin_complete,
                         std::span<const double> expanded_to = {});

  /// The list of these rows alone, ascending, with nothing expanded.
  SelectedList only(std::span<const Index> rows, bool is_spin_complete) const;

 private:
  SelectedList(int orbitals, SpinElectrons electrons,
               base::Array<PackedDeterminant<W>> determinants, bool is_spin_complete);

  int orbitals_;
  SpinElectrons electrons_;
  Index repeats_ = 0;
  bool is_spin_complete_ = false;
  base::Array<PackedDeterminant<W>> determinants_;
  base::Array<double> expanded_to_;
};

}  // namespace cisolve::ci
