#include "base/column_widths.hpp"
#include "base/loops.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/on_the_fly/list_tables.hpp"
#include "ci/hamiltonian/on_the_fly/row_items.hpp"

namespace cisolve::ci {
namespace {

/// Sums of a row's elements times kColumns vectors.
template <int kColumns>
struct ListSums {
  base::ConstBlock x;
  double of[kColumns] = {};

  void add(double value, Index column) {
    for (int j = 0; j < kColumns; ++j) of[j] += value * x(column, j);
  }
};

class ListsOnHost final : public ComputedProduct {
 public:
  ListsOnHost(const HamiltonianRows& h, ListTables tables)
      : tables_(std::move(tables)), items_(h) {}

  Index rows() const override { return tables_.view().t.rows; }

  void apply(base::ConstBlock x, base::Block y) const override {
    base::in_constant_widths(x, y, [this](auto width, base::ConstBlock from, base::Block to) {
      multiply<width>(from, to);
    });
  }

  bool diagonal(base::Block d) const override {
    const ListsView l = tables_.view();
    base::for_each_chunk(l.t.alphas, kGrain, tables_.backend(), [&](Index first, Index last) {
      for (Index alpha = first; alpha < last; ++alpha)
        for_each_row(l, alpha, [&](Index row, Index beta) {
          d(row, 0) = RowLookUp(l.t, alpha, beta).diagonal();
        });
    });
    return true;
  }

  base::OperatorDescription description() const override {
    return {"on-the-fly", tables_.bytes(), 0, 0};
  }

  std::vector<Item> items() const override { return items_.items(); }
  void keep(const std::vector<bool>& is_retained) override { items_.keep(is_retained); }
  void begin_y_with(Index row) override { first_of_y_ = row; }

 private:
  static constexpr Index kGrain = 4;

  template <class Visit>
  static void for_each_row(const ListsView& l, Index alpha, Visit&& visit) {
    const Column* members = l.t.members + l.t.list_offsets[l.t.list_of[alpha]];
    for (Index row = l.t.first_row[alpha]; row < l.t.first_row[alpha + 1]; ++row)
      visit(row, Index{members[row - l.t.first_row[alpha]]});
  }

  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y) const {
    const ListsView l = tables_.view();
    const std::span<const Column> alphas = items_.alphas();
    base::for_each_chunk(
        std::ssize(alphas), kGrain, tables_.backend(), [&](Index first, Index last) {
          for (Index i = first; i < last; ++i)
            for_each_row(l, alphas[i], [&](Index row, Index beta) {
              ListSums<kColumns> sums{x};
              ListRow<HostBits, ListSums<kColumns>>(l, alphas[i], beta, sums).walk();
              for (int j = 0; j < kColumns; ++j) y(row - first_of_y_, j) = sums.of[j];
            });
        });
  }

  ListTables tables_;
  RowItems items_;
  Index first_of_y_ = 0;
};

}  // namespace

ComputedProductPtr by_lists(const HamiltonianRows& h, ListTables tables) {
  return std::make_unique<ListsOnHost>(h, std::move(tables));
}

}  // namespace cisolve::ci
