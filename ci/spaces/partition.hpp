#pragma once

#include <functional>
#include <span>

#include "ci/spaces/space.hpp"

namespace cisolve::ci {

/// The division of a space into Reference and Expansion space: a permutation that puts the
/// reference rows first and otherwise keeps the canonical order. It lives inside a stored operator;
/// all that is saved or handed to a solver stays in canonical order.
class Partition {
 public:
  /// No reference: the canonical order itself.
  explicit Partition(const base::Backend& host);

  Index reference() const { return reference_; }
  bool is_canonical() const { return stored_.size() == 0; }
  Column stored(Index canonical) const {
    return is_canonical() ? static_cast<Column>(canonical) : stored_[canonical];
  }
  Index canonical(Index stored) const { return is_canonical() ? stored : canonical_[stored]; }

  /// The same as lists, in the memory of the host; empty when canonical.
  const base::Array<Column>& stored_rows() const { return stored_; }
  const base::Array<Column>& canonical_rows() const { return canonical_; }

  /// Puts the elements of one row, columns ascending in canonical order, into stored order,
  /// likewise ascending.
  void to_stored(std::span<const Column> columns, std::span<const double> values,
                 std::span<Column> stored_columns, std::span<double> stored_values) const;

  /// The rows of which is_reference is true.
  static Partition where(const Space& space, const std::function<bool(Index row)>& is_reference);
  /// The determinants given, as far as they are in the space.
  static Partition of(const Space& space, std::span<const Determinant> references);
  /// The determinants at most `level` excitations from one.
  static Partition by_excitation(const Space& space, const Determinant& from, int level);
  /// The `count` lowest diagonal elements; of equal ones the earlier.
  static Partition of_lowest(const Space& space, std::span<const double> diagonal, Index count);

 private:
  friend class RowTables;
  Index reference_ = 0;
  base::Array<Column> stored_;     // by canonical row; empty when canonical
  base::Array<Column> canonical_;  // by stored row
};

}  // namespace cisolve::ci
