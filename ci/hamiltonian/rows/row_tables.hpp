#pragma once

#include <algorithm>
#include <vector>

#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "ci/hamiltonian/rows/singles_by_class.hpp"

namespace cisolve::ci {

/// The arrays of HamiltonianRows as a kernel sees them: strings and their lists, connections,
/// integrals.
struct RowTablesView {
  struct Connections {
    const Index* offsets;
    const Connection* all;
  };

  Index rows;
  int orbitals;
  int electrons[2];
  const std::uint8_t* occupied[2];  // [spin], strings x electrons
  Index alphas;
  const Index* first_row;  // alphas + 1
  const Column* list_of;
  const Index* list_offsets;
  const Column* members;
  const Column* positions;  // [list][beta], -1: absent; null: binary search in the list
  bool has_all_betas;       // in its only list
  Index betas;

  Connections alpha;
  Connections beta;
  const Column* class_of;  // [alpha pair], as in SinglesByClass
  const Index* class_single_offsets;
  const Single* class_singles;
  bool products_exact;  // SinglesByClass::exact
  const double* mixed;
  Index beta_pairs;
  const double* on_alpha;
  const double* on_beta;

  double core_energy;
  const double* alpha_energy;
  const double* beta_energy;
  const double* coulomb;
  double threshold;

  Index reference;          // rows of the reference
  const Column* stored;     // null in canonical order
  const Column* canonical;  // null in canonical order

  /// Whether electrons of the other spin add to singles by this pair; `table`: on_alpha or on_beta.
  bool adds_any(const double* table, Index pair) const {
    const double* row = table + pair * orbitals;
    return std::any_of(row, row + orbitals, [](double value) { return value != 0; });
  }
};

/// The alpha strings that go with each list of beta strings, ascending.
std::vector<std::vector<Column>> alphas_of_lists(const RowTablesView& t);

/// Owns a copy of the arrays of HamiltonianRows in the memory of one backend.
class RowTables {
 public:
  RowTables(const HamiltonianRows& h, const base::Backend& backend);

  RowTables to(const base::Backend& target) const { return {*this, target}; }

  const base::Backend& backend() const { return first_row_.backend(); }
  const sparse::MatrixShape& shape() const { return shape_; }
  const RowTablesView& view() const { return view_; }
  /// Rows in canonical order, whatever the partition.
  RowTablesView canonical_view() const;
  Index alpha_pairs() const { return products_.class_of.size(); }
  Index bytes() const;

 private:
  RowTables(const RowTables& other, const base::Backend& backend);
  /// Sets the pointers of view_.
  void point();

  sparse::MatrixShape shape_;
  std::array<base::Array<std::uint8_t>, 2> occupied_;
  base::Array<Index> first_row_;
  base::Array<Column> list_of_;
  base::Array<Index> list_offsets_;
  base::Array<Column> members_;
  base::Array<Column> positions_;
  base::Array<Index> alpha_offsets_;
  base::Array<Connection> alpha_;
  base::Array<Index> beta_offsets_;  // empty if beta has the connections of alpha
  base::Array<Connection> beta_;     // empty if beta has the connections of alpha
  SinglesByClass products_;
  base::Array<double> mixed_;
  base::Array<double> on_alpha_;
  base::Array<double> on_beta_;
  base::Array<double> alpha_energy_;
  base::Array<double> beta_energy_;
  base::Array<double> coulomb_;
  base::Array<Column> stored_;
  base::Array<Column> canonical_;
  RowTablesView view_{};
};

}  // namespace cisolve::ci
