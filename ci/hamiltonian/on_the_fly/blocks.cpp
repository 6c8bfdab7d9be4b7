#include "base/column_widths.hpp"
#include "base/loops.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"

namespace cisolve::ci {
namespace {

/// Computes items of a product with kColumns vectors; one object per thread.
template <int kColumns>
class BlockWalk {
 public:
  BlockWalk(const BlocksView& blocks, base::ConstBlock x, base::Block y, Index first_of_y)
      : b_(blocks), t_(blocks.t), x_(x), y_(y), first_of_y_(first_of_y) {}

  void walk(const BlockItem& item) {
    list_ = t_.list_of[item.alpha];
    window_ = item.window;
    begin_ = b_.window_begins[window_];
    rows_ = b_.window_ends[window_] - begin_;
    sums_.assign(rows_ * kColumns, 0);
    add_own(item.alpha);
    for (Index k = t_.alpha.offsets[item.alpha]; k < t_.alpha.offsets[item.alpha + 1]; ++k) {
      const Connection& to = t_.alpha.all[k];
      if (to.code == Connection::kSelf) continue;
      add_coupling(to);
      if (to.is_single()) add_products(to);
    }
    const Index first = t_.first_row[item.alpha] + begin_ - first_of_y_;
    for (Index i = 0; i < rows_; ++i)
      for (int j = 0; j < kColumns; ++j) y_(first + i, j) = sums_[i * kColumns + j];
  }

 private:
  Index member(Index place) const { return t_.members[t_.list_offsets[list_] + place]; }

  void add(double* sums, double value, Index row) const {
    for (int j = 0; j < kColumns; ++j) sums[j] += value * x_(row, j);
  }

  void add_own(Index alpha) {
    const Index first = t_.first_row[alpha];
    coulomb_.resize(t_.orbitals);
    for (int q = 0; q < t_.orbitals; ++q) coulomb_[q] = b_.coulomb_of(alpha, q);
    for (Index i = 0; i < rows_; ++i) {
      const double diagonal = b_.diagonal(alpha, member(begin_ + i), coulomb_.data());
      add(&sums_[i * kColumns], diagonal, first + begin_ + i);
    }
    const double* added = b_.added_by(alpha);
    add_moves(b_.own, window_, first,
              [&](Index k) { return b_.own_element(b_.own.moves[k], b_.own.values[k], added); });
  }

  void add_coupling(const Connection& to) {
    AlphaCoupling coupling;
    if (!b_.make_coupling(list_, to, coupling)) return;
    for (Index i = 0; i < rows_; ++i) {
      const Index place = coupling.map == nullptr ? begin_ + i : Index{coupling.map[begin_ + i]};
      if (place == BlocksView::kNowhere && coupling.map != nullptr) continue;
      add(&sums_[i * kColumns], b_.element(coupling, member(begin_ + i)), coupling.first + place);
    }
  }

  void add_products(const Connection& to) {
    const Index first = b_.products_table(list_, to);
    if (first < 0) return;
    const Index table = first + window_ - b_.first_window[list_];
    if (b_.products.first[table] == b_.products.first[table + 1]) return;
    const double* mixed = t_.mixed + to.pair().pair() * t_.beta_pairs;
    signed_.resize(2 * t_.beta_pairs);
    for (Index pair = 0; pair < t_.beta_pairs; ++pair) {
      signed_[2 * pair] = to.pair().sign() * mixed[pair];
      signed_[2 * pair + 1] = -signed_[2 * pair];
    }
    add_moves(b_.products, table, t_.first_row[to.target],
              [&](Index k) { return signed_[b_.products.moves[k].signed_pair()]; });
  }

  /// Adds a table's excitations; element(k) is the element of entry k, and row `first` of x goes
  /// with position 0.
  template <class Element>
  void add_moves(const ExcitationSlicesView& slices, Index table, Index first, Element&& element) {
    for (Index slice = slices.first[table]; slice < slices.first[table + 1]; ++slice) {
      double sums[kSliceRows][kColumns] = {};
      int lanes = kSliceRows;  // lanes with entries left; longer rows come first
      for (Index k = slices.begins[slice]; k < slices.begins[slice + 1]; k += kSliceRows) {
        while (!slices.moves[k + lanes - 1].is_there()) --lanes;
        for (int lane = 0; lane < lanes; ++lane)
          add(sums[lane], element(k + lane), first + slices.moves[k + lane].place());
      }
      for (int lane = 0; lane < kSliceRows; ++lane) {
        const std::uint16_t row = slices.rows[slice * kSliceRows + lane];
        if (row == ExcitationSlicesView::kNoRow) break;
        for (int j = 0; j < kColumns; ++j) sums_[(row - begin_) * kColumns + j] += sums[lane][j];
      }
    }
  }

  const BlocksView b_;
  const RowTablesView& t_ = b_.t;
  base::ConstBlock x_;
  base::Block y_;
  Index first_of_y_;
  Index list_ = 0;
  Index window_ = 0;
  Index begin_ = 0;
  Index rows_ = 0;
  std::vector<double> sums_;     // [row of the item][vector]
  std::vector<double> coulomb_;  // energy of the alpha electrons with an electron in each orbital
  std::vector<double> signed_;   // integrals of beta pairs with one alpha single, of either sign
};

class BlocksOnHost final : public ComputedProduct {
 public:
  explicit BlocksOnHost(BlockTables tables) : tables_(std::move(tables)) {}

  Index rows() const override { return tables_.view().t.rows; }

  void apply(base::ConstBlock x, base::Block y) const override {
    base::in_constant_widths(x, y, [this](auto width, base::ConstBlock from, base::Block to) {
      multiply<width>(from, to);
    });
  }

  bool diagonal(base::Block d) const override {
    const BlocksView b = tables_.view();
    base::for_each_chunk(b.t.alphas, kGrain, tables_.backend(), [&](Index first, Index last) {
      std::vector<double> coulomb(b.t.orbitals);
      for (Index a = first; a < last; ++a) {
        for (int q = 0; q < b.t.orbitals; ++q) coulomb[q] = b.coulomb_of(a, q);
        const Index members = b.t.list_offsets[b.t.list_of[a]];
        for (Index row = b.t.first_row[a]; row < b.t.first_row[a + 1]; ++row)
          d(row, 0) = b.diagonal(a, b.t.members[members + row - b.t.first_row[a]], coulomb.data());
      }
    });
    return true;
  }

  base::OperatorDescription description() const override {
    return {"on-the-fly", tables_.bytes(), 0, 0};
  }

  std::vector<Item> items() const override { return items_of(tables_); }
  void keep(const std::vector<bool>& is_retained) override { tables_.keep(is_retained); }
  void begin_y_with(Index row) override { first_of_y_ = row; }

 private:
  static constexpr Index kGrain = 4;

  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y) const {
    const BlocksView view = tables_.view();
    const std::vector<BlockItem>& items = tables_.items();
    base::for_each_chunk(std::ssize(items), kGrain, tables_.backend(),
                         [&](Index first, Index last) {
                           BlockWalk<kColumns> walk(view, x, y, first_of_y_);
                           for (Index i = first; i < last; ++i) walk.walk(items[i]);
                         });
  }

  BlockTables tables_;
  Index first_of_y_ = 0;
};

}  // namespace

std::vector<ComputedProduct::Item> items_of(const BlockTables& tables) {
  std::vector<ComputedProduct::Item> items;
  for (std::size_t i = 0; i < tables.items().size(); ++i) {
    const BlockItem& item = tables.items()[i];
    items.push_back({tables.first_row_of(item), tables.rows_of(item), tables.works()[i]});
  }
  return items;
}

ComputedProductPtr by_blocks(BlockTables tables) {
  return std::make_unique<BlocksOnHost>(std::move(tables));
}

}  // namespace cisolve::ci
