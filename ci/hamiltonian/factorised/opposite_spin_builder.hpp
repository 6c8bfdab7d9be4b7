#pragma once

#include <map>
#include <span>
#include <vector>

#include "ci/hamiltonian/factorised/opposite_spin.hpp"
#include "ci/hamiltonian/factorised/scatter_table.hpp"

namespace cisolve::ci {

/// The arrays of OppositeSpinTables as they grow.
struct OppositeSpinTables::Lists {
  Index count = 0;  // number of lists of beta strings
  std::vector<Index> first_group = {0};
  std::vector<OppositeSpinView::Group> groups;
  std::vector<OppositeSpinView::Source> sources;
  std::vector<OppositeSpinView::Table> tables;
  std::vector<double> moves_of_table;
  std::vector<Column> rows;
  std::vector<Index> chunks;
  std::vector<std::uint32_t> words;
};

/// Builds the groups, sources and scatter tables, in the host's memory.
class OppositeSpinBuilder {
 public:
  OppositeSpinBuilder(const RowTablesView& t, const base::Backend& host);
  OppositeSpinBuilder(const OppositeSpinBuilder&) = delete;
  OppositeSpinBuilder& operator=(const OppositeSpinBuilder&) = delete;
  OppositeSpinTables::Lists build();

 private:
  /// Single excitations of each string of a spin.
  struct Singles {
    std::vector<Index> first;  // strings + 1
    std::vector<Single> all;
    std::span<const Single> of(Index string) const {
      return std::span(all).subspan(first[string], first[string + 1] - first[string]);
    }
  };
  /// A class of alpha pairs (integrals with the same beta pairs), from one list to another.
  struct Link {
    Index klass;
    Index from;  // list whose strings are the columns of g
    Index to;
    auto operator<=>(const Link&) const = default;
  };
  /// Tables of a link, one for each block of at most kMostRows rows.
  struct Tables {
    Index first = 0;
    Index count = 0;
  };

  Singles singles_of(const RowTablesView::Connections& table, Index strings) const;
  void find_classes();
  void find_self_class();
  void add_alpha(Index alpha);
  void find_own_places();
  OppositeSpinView::Source source(Index alpha, Column code) const;
  const Tables& tables_of(const Link& link);
  std::vector<Column> rows_of(const Link& link) const;
  void add_table(const Link& link, std::span<const Column> rows);
  void visit_moves(const Link& link, Index target, const std::vector<Index>& row_of,
                   const ScatterTable::Take& take) const;
  Index size_of(Index list) const { return t_.list_offsets[list + 1] - t_.list_offsets[list]; }
  Index member(Index list, Index place) const { return t_.members[t_.list_offsets[list] + place]; }
  Index most_sources() const;
  void divide_groups();

  const RowTablesView& t_;
  base::Backend host_;
  std::vector<Index> list_of_beta_;
  std::vector<Index> place_of_beta_;  // within its list
  std::vector<bool> moves_;           // beta pairs by which any string is excited
  Singles betas_;
  Singles own_alphas_;  // empty if the alpha strings have those of the beta strings
  const Singles& alphas_;
  std::vector<std::vector<bool>> has_pair_;  // [class][beta pair]: an integral is not 0
  std::vector<bool> adds_orbitals_;          // [class]: has rows for electrons that stay
  Index self_class_ = 0;
  std::vector<Column> column_codes_;  // Source::half of each alpha string
  std::map<Link, Tables> links_;

  OppositeSpinTables::Lists lists_;
};

}  // namespace cisolve::ci
