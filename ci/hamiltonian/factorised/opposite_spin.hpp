#pragma once

#include <array>
#include <vector>

#include "ci/hamiltonian/factorised/opposite_spin_view.hpp"
#include "ci/hamiltonian/rows/row_tables.hpp"

namespace cisolve::ci {

/// Owns the tables of OppositeSpinView, in the memory of one backend.
class OppositeSpinTables {
 public:
  // Limits of the kernels: rows of g in a table, and sources in a group. The latter is the first of
  // kMostSources with which division adds at most a tenth to the groups.
  static constexpr Index kMostRows = 192;
  static_assert(kMostRows <= ScatterEntry::kMostRows);
  static constexpr std::array kMostSources{Index{16}, Index{32}, Index{40}, Index{48}};

  /// `tables` are in the memory of `host` and are not used afterwards.
  static OppositeSpinTables of(const RowTables& tables, const base::Backend& host);

  OppositeSpinTables to(const base::Backend& target) const;
  OppositeSpinView view() const;
  Index bytes() const;

  // Maxima over all groups.
  Index most_rows() const { return most_rows_; }
  Index most_sources() const { return most_sources_; }
  /// Maximum over all ScatterChunks.
  Index most_words() const { return most_words_; }
  /// Alpha strings, descending by work.
  const std::vector<Column>& order() const { return order_; }
  /// Work of an alpha string in sigma_mixed of multiply() or multiply_half(), in multiply-adds.
  double work_of(Index alpha, bool by_half) const {
    return by_half ? half_works_[alpha] : works_[alpha];
  }
  /// Totals of one multiply(): multiply-adds for g, entries scattered, chunks of columns.
  double multiplications() const { return multiplications_; }
  double moves() const { return moves_; }
  double chunks() const { return all_chunks_; }

 private:
  friend class OppositeSpinBuilder;
  static constexpr double kMoveInProducts = 8;  // cost of a scattered entry in multiply-adds, about
  struct Lists;                                 // the builder's
  OppositeSpinTables(const RowTablesView& t, Index alpha_pairs, const Lists& lists,
                     const base::Backend& host);
  OppositeSpinTables(const OppositeSpinTables& other, const base::Backend& target);

  OppositeSpinView shape_{};  // sizes only, no pointers
  Index most_rows_ = 0;
  Index most_sources_ = 0;
  Index most_words_ = 0;
  double multiplications_ = 0;
  double moves_ = 0;
  double all_chunks_ = 0;
  std::vector<double> works_;
  std::vector<double> half_works_;
  std::vector<Column> order_;
  base::Array<Index> first_row_;
  base::Array<Index> first_member_;
  base::Array<Column> members_;
  base::Array<Index> first_group_;
  base::Array<OppositeSpinView::Group> groups_;
  base::Array<OppositeSpinView::Source> sources_;
  base::Array<OppositeSpinView::Table> tables_;
  base::Array<Column> rows_;
  base::Array<Index> chunks_;
  base::Array<std::uint32_t> words_;
  base::Array<double> mixed_;
  base::Array<double> on_alpha_;
  base::Array<double> from_alpha_;
  base::Array<double> coulomb_;
  base::Array<double> alpha_energy_;
  base::Array<double> beta_energy_;
  base::Array<std::uint8_t> beta_occupied_;
};

}  // namespace cisolve::ci
