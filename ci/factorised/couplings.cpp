#include "ci/factorised/couplings.hpp"

#include <algorithm>
#include <numeric>

#include "base/loops.hpp"
#include "ci/factorised/couplings_builder.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kWhat = "the couplings of alpha with beta strings";
constexpr Index kAlphaGrain = 64;

template <class T>
base::Array<T> copied(const std::vector<T>& values, const base::Backend& host) {
  return base::Array<T>::copy_of(values, host, kWhat);
}

template <class T>
base::Array<T> copied(const T* values, Index count, const base::Backend& host) {
  return base::Array<T>::copy_of({values, static_cast<std::size_t>(count)}, host, kWhat);
}

/// For each alpha string, the sum over its electrons of column q of table rows [row][q].
base::Array<double> over_alpha(const RowTablesView& t, const double* table, Index rows,
                               Index row_stride, Index electron_stride, const base::Backend& host) {
  base::Array<double> sums(host, t.alphas * rows, kWhat);
  base::for_each_chunk(t.alphas, kAlphaGrain, host, [&](Index first, Index last) {
    for (Index a = first; a < last; ++a) {
      const std::uint8_t* p = t.occupied[0] + a * t.electrons[0];
      for (Index row = 0; row < rows; ++row) {
        double sum = 0;
        for (int i = 0; i < t.electrons[0]; ++i)
          sum += table[row * row_stride + p[i] * electron_stride];
        sums[a * rows + row] = sum;
      }
    }
  });
  return sums;
}

}  // namespace

Couplings Couplings::of(const RowTables& tables, Limits limits, const base::Backend& host) {
  const RowTablesView t = tables.canonical_view();
  return {t, tables.alpha_pairs(), CouplingsBuilder(t, limits, host).build(), host};
}

Couplings::Couplings(const RowTablesView& t, Index alpha_pairs, const Lists& lists,
                     const base::Backend& host)
    : first_row_(copied(t.first_row, t.alphas + 1, host)),
      first_group_(copied(lists.first_group, host)),
      groups_(copied(lists.groups, host)),
      sources_(copied(lists.sources, host)),
      tables_(copied(lists.tables, host)),
      rows_(copied(lists.rows, host)),
      chunks_(copied(lists.chunks, host)),
      slices_(copied(lists.slices, host)),
      targets_(copied(lists.targets, host)),
      moves_of_lanes_(copied(lists.moves, host)),
      mixed_(copied(t.mixed, alpha_pairs * t.beta_pairs, host)),
      on_alpha_(copied(t.on_alpha, alpha_pairs * t.orbitals, host)),
      from_alpha_(over_alpha(t, t.on_beta, t.beta_pairs, t.orbitals, 1, host)),
      coulomb_(over_alpha(t, t.coulomb, t.orbitals, 1, t.orbitals, host)) {
  shape_.alphas = t.alphas;
  shape_.orbitals = t.orbitals;
  shape_.beta_pairs = t.beta_pairs;
  std::vector<double> work(t.alphas, 0);
  for (Index a = 0; a < t.alphas; ++a)
    for (Index g = lists.first_group[a]; g < lists.first_group[a + 1]; ++g) {
      const CouplingsView::Group& group = lists.groups[g];
      const CouplingsView::Table& table = lists.tables[group.table];
      const double products =
          static_cast<double>(table.rows) * group.sources * static_cast<double>(table.columns);
      multiplications_ += products;
      moves_ += lists.moves_of_table[group.table];
      work[a] += products + kMoveInProducts * lists.moves_of_table[group.table];
      most_rows_ = std::max<Index>(most_rows_, table.rows);
      most_sources_ = std::max<Index>(most_sources_, group.sources);
    }
  order_.resize(t.alphas);
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](Column a) { return work[a]; });
}

Couplings::Couplings(const Couplings& other, const base::Backend& target)
    : shape_(other.shape_),
      most_rows_(other.most_rows_),
      most_sources_(other.most_sources_),
      multiplications_(other.multiplications_),
      moves_(other.moves_),
      order_(other.order_),
      first_row_(other.first_row_.to(target)),
      first_group_(other.first_group_.to(target)),
      groups_(other.groups_.to(target)),
      sources_(other.sources_.to(target)),
      tables_(other.tables_.to(target)),
      rows_(other.rows_.to(target)),
      chunks_(other.chunks_.to(target)),
      slices_(other.slices_.to(target)),
      targets_(other.targets_.to(target)),
      moves_of_lanes_(other.moves_of_lanes_.to(target)),
      mixed_(other.mixed_.to(target)),
      on_alpha_(other.on_alpha_.to(target)),
      from_alpha_(other.from_alpha_.to(target)),
      coulomb_(other.coulomb_.to(target)) {}

Couplings Couplings::to(const base::Backend& target) const { return {*this, target}; }

CouplingsView Couplings::view() const {
  CouplingsView view = shape_;
  view.first_row = first_row_.data();
  view.first_group = first_group_.data();
  view.groups = groups_.data();
  view.sources = sources_.data();
  view.tables = tables_.data();
  view.rows = rows_.data();
  view.chunks = chunks_.data();
  view.slices = slices_.data();
  view.targets = targets_.data();
  view.moves = moves_of_lanes_.data();
  view.mixed = mixed_.data();
  view.on_alpha = on_alpha_.data();
  view.from_alpha = from_alpha_.data();
  view.coulomb = coulomb_.data();
  return view;
}

Index Couplings::bytes() const {
  return first_row_.bytes() + first_group_.bytes() + groups_.bytes() + sources_.bytes() +
         tables_.bytes() + rows_.bytes() + chunks_.bytes() + slices_.bytes() + targets_.bytes() +
         moves_of_lanes_.bytes() + mixed_.bytes() + on_alpha_.bytes() + from_alpha_.bytes() +
         coulomb_.bytes();
}

}  // namespace cisolve::ci
