#pragma once

#include <functional>
#include <span>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// Permutation that puts reference rows before expansion rows and otherwise keeps the canonical
/// order. Only stored operators use it; vectors that are saved or handed to a solver are in
/// canonical order.
class Partition {
 public:
  /// The identity: no reference rows.
  explicit Partition(const base::Backend& host);

  Index reference() const { return reference_; }
  bool is_canonical() const { return stored_.size() == 0; }
  Column stored(Index canonical) const {
    return is_canonical() ? static_cast<Column>(canonical) : stored_[canonical];
  }
  Index canonical(Index stored) const { return is_canonical() ? stored : canonical_[stored]; }

  /// The permutation and its inverse as arrays in host memory; empty if canonical.
  const base::Array<Column>& stored_rows() const { return stored_; }
  const base::Array<Column>& canonical_rows() const { return canonical_; }

  /// Permutes the elements of one row, columns ascending in canonical order, to columns ascending
  /// in stored order.
  void to_stored(std::span<const Column> columns, std::span<const double> values,
                 std::span<Column> stored_columns, std::span<double> stored_values) const;

  /// References: rows for which is_reference is true.
  static Partition where(const Space& space, const std::function<bool(Index row)>& is_reference);
  /// References: those of the given determinants that are in the space.
  static Partition of(const Space& space, std::span<const Determinant> references);
  /// References: determinants within `level` excitations of `from`.
  static Partition by_excitation(const Space& space, const Determinant& from, int level);
  /// References: the `count` lowest diagonal elements, ties by row.
  static Partition of_lowest(const Space& space, std::span<const double> diagonal, Index count);

 private:
  friend class RowTables;
  Index reference_ = 0;
  base::Array<Column> stored_;     // indexed by canonical row; empty when canonical
  base::Array<Column> canonical_;  // indexed by stored row
};

}  // namespace cisolve::ci
