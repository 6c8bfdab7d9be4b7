#pragma once

#include <memory>
#include <vector>

#include "ci/hamiltonian/on_the_fly/block_tables.hpp"
#include "ci/hamiltonian/on_the_fly/cost.hpp"

namespace cisolve::ci {

/// Builds the tables of BlocksView in the host's memory.
class BlockBuilder {
 public:
  /// Null if tables would be large, as when nearly every alpha string has a list of its own.
  static std::unique_ptr<BlockBuilder> found(const HamiltonianRows& h);

  ExcitationSlices products() const;
  ExcitationSlices own() const;
  /// Maps, for each link, positions in the source list to positions in the target list; `map_of`:
  /// offsets.
  base::Array<std::uint16_t> maps(base::Array<Index>& map_of) const;
  /// sum_k (pq|kk) over the electrons of each beta string, for alpha pairs with any such integral.
  base::Array<double> others(base::Array<Column>& others_of) const;
  /// sum_k (rs|kk) over the electrons of each alpha string, for beta pairs; empty if all are 0.
  base::Array<double> from_alpha() const;
  /// Descending by work, for load balance.
  std::vector<BlockItem> items(const ExcitationSlices& products, const ExcitationSlices& own) const;
  /// Work of each item: elements computed and elements of x copied to shared memory.
  std::vector<double> works(const std::vector<BlockItem>& items, const ExcitationSlices& products,
                            const ExcitationSlices& own) const;
  /// [alpha string]
  std::vector<Index> first_rows() const;
  /// [window], the longest list that excitations of its rows lead to; 0 without opposite-spin
  /// doubles, as on a lattice: then x is read too seldom to be worth a copy.
  std::vector<Index> reaches(const ExcitationSlices& products) const;

  /// [window], the size of its list.
  std::vector<Index> list_sizes() const;
  ComputedCost work() const;

  const base::Backend& host() const { return host_; }
  /// Must be the last call.
  RowTables take_rows() { return std::move(rows_); }
  Index lists() const { return lists_; }
  Index classes() const { return classes_; }
  std::span<const Index> first_window() const { return first_window_; }
  std::span<const Index> window_begins() const { return window_begins_; }
  std::span<const Index> window_ends() const { return window_ends_; }
  std::span<const Column> link_of() const { return link_of_; }
  std::span<const Index> products_of() const { return products_of_; }

 private:
  /// Requires may_serve(h.space()).
  explicit BlockBuilder(const HamiltonianRows& h);
  /// Whether lists are few and short enough for tables.
  static bool may_serve(const Space& space);
  bool find();

  /// A link from the rows of one list to the columns of another.
  struct Link {
    Index from;
    Index to;
  };
  /// Beta excitations of a window that go with the alpha singles of a class.
  struct ProductsTable {
    Link link;
    Index klass;
    Index window;
  };

  Index size_of(Index list) const { return t_.list_offsets[list + 1] - t_.list_offsets[list]; }
  Index member(Index list, Index place) const { return t_.members[t_.list_offsets[list] + place]; }
  using MovesOfRow = std::function<void(Index place, const ExcitationSlices::Visit& visit)>;
  double estimated(Index rows, const MovesOfRow& moves) const;
  void find_windows();
  void find_links();
  void add_tables(const Link& link, Index klass);
  bool is_worth_it() const;
  bool fits() const;
  void visit_product(Index list, const Single& single, const ExcitationSlices::Visit& visit) const;
  void visit_own(Index list, const Connection& to, const ExcitationSlices::Visit& visit) const;
  base::Array<double> summed(const std::vector<Index>& pairs, const double* table, int spin,
                             Index strings, bool by_string) const;
  Index moves_of(Index alpha, Index window, const ExcitationSlices& products) const;
  ComputedCost work_of(Index alpha, double own) const;
  double work_of(const BlockItem& item, const ExcitationSlices& products) const;
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
  std::vector<double> products_moves_;  // estimated number of excitations
  std::vector<bool> adds_alone_;        // [alpha pair]: beta electrons add to its singles
  std::vector<ProductsTable> product_tables_;
};

}  // namespace cisolve::ci
