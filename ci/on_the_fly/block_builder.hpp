#pragma once

#include <memory>
#include <vector>

#include "ci/on_the_fly/block_tables.hpp"
#include "ci/on_the_fly/work.hpp"

namespace cisolve::ci {

/// Finds the tables of a Hamiltonian's blocks, in the host's memory.
class BlockBuilder {
 public:
  /// Null where tables would be large, as where nearly every alpha string has a list of its own.
  static std::unique_ptr<BlockBuilder> found(const HamiltonianRows& h);

  Slices products() const;
  Slices own() const;
  /// By place in the one list of each link, the place in the other; `map_of` says where they begin.
  base::Array<std::uint16_t> maps(base::Array<Index>& map_of) const;
  /// (pq|kk) over the electrons of each beta string, for those alpha pairs that have any.
  base::Array<double> others(base::Array<Column>& others_of) const;
  /// The same for beta pairs over the electrons of each alpha string; empty where there are none.
  base::Array<double> from_alpha() const;
  /// Those with the most work first, so that none of them is left alone in the end.
  std::vector<BlockItem> items(const Slices& products, const Slices& own) const;
  /// Of these items: elements that are looked at, and numbers of x that a device copies.
  std::vector<double> works(const std::vector<BlockItem>& items, const Slices& products,
                            const Slices& own) const;
  /// Of alpha strings.
  std::vector<Index> first_rows() const;
  /// Of each window, the longest list that moves of its rows lead to; 0 where electrons of both
  /// spins never move together, as on a lattice: then x is read too seldom to be worth a copy.
  std::vector<Index> reaches(const Slices& products) const;

  /// Of each window, the size of its list.
  std::vector<Index> list_sizes() const;
  ProductWork work() const;

  const base::Backend& host() const { return host_; }
  /// The last that is asked of it.
  RowTables take_rows() { return std::move(rows_); }
  Index lists() const { return lists_; }
  Index classes() const { return classes_; }
  std::span<const Index> first_window() const { return first_window_; }
  std::span<const Index> window_begins() const { return window_begins_; }
  std::span<const Index> window_ends() const { return window_ends_; }
  std::span<const Column> link_of() const { return link_of_; }
  std::span<const Index> products_of() const { return products_of_; }

 private:
  /// Of a space that may_serve().
  explicit BlockBuilder(const HamiltonianRows& h);
  /// Whether a space has so few lists, and these so few strings, that tables are thought of.
  static bool may_serve(const Space& space);
  bool find();

  /// From the rows of one list to the columns of another.
  struct Link {
    Index from;
    Index to;
  };
  /// What beta strings of a window do beside the alpha singles of a class.
  struct ProductsTable {
    Link link;
    Index klass;
    Index window;
  };

  Index size_of(Index list) const { return t_.list_offsets[list + 1] - t_.list_offsets[list]; }
  Index member(Index list, Index place) const { return t_.members[t_.list_offsets[list] + place]; }
  using MovesOfRow = std::function<void(Index place, const Slices::Visit& visit)>;
  double estimated(Index rows, const MovesOfRow& moves) const;
  void find_windows();
  void find_links();
  void add_tables(const Link& link, Index klass);
  bool is_worth_it() const;
  bool has_room() const;
  void visit_product(Index list, const Single& single, const Slices::Visit& visit) const;
  void visit_own(Index list, const Connection& to, const Slices::Visit& visit) const;
  base::Array<double> summed(const std::vector<Index>& pairs, const double* table, int spin,
                             Index strings, bool by_string) const;
  Index moves_of(Index alpha, Index window, const Slices& products) const;
  ProductWork work_of(Index alpha, double own) const;
  double work_of(const BlockItem& item, const Slices& products) const;
  Index summed_bytes() const;

  const Space& space_;
  base::Backend host_;
  RowTables rows_;
  RowTablesView t_;
  Index alpha_pairs_;
  Index lists_;
  Index classes_ = 1;
  Index singles_ = 0;
  double most_moves_ = 0;
  std::vector<Index> first_window_;
  std::vector<Index> window_begins_;
  std::vector<Index> window_ends_;
  std::vector<Index> list_of_window_;
  std::vector<Link> links_;
  std::vector<Column> link_of_;
  std::vector<Index> products_of_;
  std::vector<double> products_moves_;  // likewise, about how many there are
  std::vector<bool> adds_alone_;        // of alpha pairs: whether beta electrons add to a single
  std::vector<ProductsTable> product_tables_;
};

}  // namespace cisolve::ci
