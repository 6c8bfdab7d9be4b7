#pragma once

#include <array>
#include <vector>

#include "ci/factorised/couplings_view.hpp"
#include "ci/hamiltonian/row_tables.hpp"

namespace cisolve::ci {

/// The tables behind CouplingsView, in the memory of one backend.
class Couplings {
 public:
  // What kernels have room for. A group has at most so many rows of g, and at most as many sources
  // as the least of these numbers that divides few groups.
  static constexpr Index kMostRows = 192;
  static constexpr std::array kMostSources{Index{16}, Index{32}, Index{40}, Index{48}};

  /// `tables` lie in the memory of `host`; they need not outlive it.
  static Couplings of(const RowTables& tables, const base::Backend& host);

  Couplings to(const base::Backend& target) const;
  CouplingsView view() const;
  Index bytes() const;

  // Of any group.
  Index most_rows() const { return most_rows_; }
  Index most_sources() const { return most_sources_; }
  /// Words of any chunk of moves.
  Index most_words() const { return most_words_; }
  /// Alpha strings, those with the most work first.
  const std::vector<Column>& order() const { return order_; }
  /// Of an alpha string in one product, of any vector or by half, in multiplications.
  double work_of(Index alpha, bool by_half) const {
    return by_half ? half_works_[alpha] : works_[alpha];
  }
  /// Of one product: multiplications for g, moves, and chunks of columns.
  double multiplications() const { return multiplications_; }
  double moves() const { return moves_; }
  double chunks() const { return all_chunks_; }

 private:
  friend class CouplingsBuilder;
  static constexpr double kMoveInProducts = 8;  // what one costs, about
  struct Lists;                                 // of the builder
  Couplings(const RowTablesView& t, Index alpha_pairs, const Lists& lists,
            const base::Backend& host);
  Couplings(const Couplings& other, const base::Backend& target);

  CouplingsView shape_{};  // its numbers alone
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
  base::Array<CouplingsView::Group> groups_;
  base::Array<CouplingsView::Source> sources_;
  base::Array<CouplingsView::Table> tables_;
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
