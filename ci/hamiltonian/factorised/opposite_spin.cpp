#include "ci/hamiltonian/factorised/opposite_spin.hpp"

#include <algorithm>
#include <numeric>

#include "base/loops.hpp"
#include "ci/hamiltonian/factorised/opposite_spin_builder.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kCouplingsLabel = "the couplings between alpha and beta strings";
constexpr Index kAlphaGrain = 64;

template <class T>
base::Array<T> copied(const std::vector<T>& values, const base::Backend& host) {
  return base::Array<T>::copy_of(values, host, kCouplingsLabel);
}

template <class T>
base::Array<T> copied(const T* values, Index count, const base::Backend& host) {
  return base::Array<T>::copy_of({values, static_cast<std::size_t>(count)}, host, kCouplingsLabel);
}

/// Fraction of the columns of a group's sources that multiply_half() reads. The scatter saves less.
double fraction_by_half(std::span<const OppositeSpinView::Source> sources, Index columns) {
  Index reached = 0;
  for (const OppositeSpinView::Source& source : sources) reached += source.reach();
  const Index all = std::max<Index>(std::ssize(sources) * columns, 1);
  return static_cast<double>(reached) / static_cast<double>(all);
}

/// sums[a][row]: the sum over the occupied orbitals p of alpha string a of table(row, p), which is
/// table[row * row_stride + p * electron_stride].
base::Array<double> over_alpha(const RowTablesView& t, const double* table, Index rows,
                               Index row_stride, Index electron_stride, const base::Backend& host) {
  base::Array<double> sums(host, t.alphas * rows, kCouplingsLabel);
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

OppositeSpinTables OppositeSpinTables::of(const RowTables& tables, const base::Backend& host) {
  const RowTablesView t = tables.canonical_view();
  return {t, tables.alpha_pairs(), OppositeSpinBuilder(t, host).build(), host};
}

OppositeSpinTables::OppositeSpinTables(const RowTablesView& t, Index alpha_pairs,
                                       const Lists& lists, const base::Backend& host)
    : first_row_(copied(t.first_row, t.alphas + 1, host)),
      first_member_(host, t.alphas, kCouplingsLabel),
      members_(copied(t.members,
                      *std::max_element(t.list_offsets, t.list_offsets + lists.count + 1), host)),
      first_group_(copied(lists.first_group, host)),
      groups_(copied(lists.groups, host)),
      sources_(copied(lists.sources, host)),
      tables_(copied(lists.tables, host)),
      rows_(copied(lists.rows, host)),
      chunks_(copied(lists.chunks, host)),
      words_(copied(lists.words, host)),
      mixed_(copied(t.mixed, alpha_pairs * t.beta_pairs, host)),
      on_alpha_(copied(t.on_alpha, alpha_pairs * t.orbitals, host)),
      from_alpha_(over_alpha(t, t.on_beta, t.beta_pairs, t.orbitals, 1, host)),
      coulomb_(over_alpha(t, t.coulomb, t.orbitals, 1, t.orbitals, host)),
      alpha_energy_(copied(t.alpha_energy, t.alphas, host)),
      beta_energy_(copied(t.beta_energy, t.betas, host)),
      beta_occupied_(copied(t.occupied[1], t.betas * t.electrons[1], host)) {
  for (Index a = 0; a < t.alphas; ++a) {
    alpha_energy_[a] += t.core_energy;
    first_member_[a] = t.list_offsets[t.list_of[a]];
  }
  shape_.beta_electrons = t.electrons[1];
  shape_.alphas = t.alphas;
  shape_.orbitals = t.orbitals;
  shape_.beta_pairs = t.beta_pairs;
  works_.assign(t.alphas, 0);
  half_works_.assign(t.alphas, 0);
  for (Index a = 0; a < t.alphas; ++a)
    for (Index g = lists.first_group[a]; g < lists.first_group[a + 1]; ++g) {
      const OppositeSpinView::Group& group = lists.groups[g];
      const OppositeSpinView::Table& table = lists.tables[group.table];
      const double products =
          static_cast<double>(table.rows) * group.sources * static_cast<double>(table.columns);
      multiplications_ += products;
      moves_ += lists.moves_of_table[group.table];
      const Index chunks = (table.columns + kChunk - 1) / kChunk;
      all_chunks_ += static_cast<double>(chunks);
      const double work = products + kMoveInProducts * lists.moves_of_table[group.table];
      const auto sources = static_cast<std::size_t>(group.sources);
      const auto of_group = std::span(lists.sources).subspan(group.first_source, sources);
      works_[a] += work;
      half_works_[a] += work * fraction_by_half(of_group, table.columns);
      most_rows_ = std::max<Index>(most_rows_, table.rows);
      most_sources_ = std::max<Index>(most_sources_, group.sources);
    }
  for (std::size_t i = 1; i < lists.chunks.size(); ++i)
    most_words_ = std::max(most_words_, lists.chunks[i] - lists.chunks[i - 1]);
  order_.resize(t.alphas);
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](Column a) { return works_[a]; });
}

OppositeSpinTables::OppositeSpinTables(const OppositeSpinTables& other, const base::Backend& target)
    : shape_(other.shape_),
      most_rows_(other.most_rows_),
      most_sources_(other.most_sources_),
      most_words_(other.most_words_),
      multiplications_(other.multiplications_),
      moves_(other.moves_),
      all_chunks_(other.all_chunks_),
      works_(other.works_),
      half_works_(other.half_works_),
      order_(other.order_),
      first_row_(other.first_row_.to(target)),
      first_member_(other.first_member_.to(target)),
      members_(other.members_.to(target)),
      first_group_(other.first_group_.to(target)),
      groups_(other.groups_.to(target)),
      sources_(other.sources_.to(target)),
      tables_(other.tables_.to(target)),
      rows_(other.rows_.to(target)),
      chunks_(other.chunks_.to(target)),
      words_(other.words_.to(target)),
      mixed_(other.mixed_.to(target)),
      on_alpha_(other.on_alpha_.to(target)),
      from_alpha_(other.from_alpha_.to(target)),
      coulomb_(other.coulomb_.to(target)),
      alpha_energy_(other.alpha_energy_.to(target)),
      beta_energy_(other.beta_energy_.to(target)),
      beta_occupied_(other.beta_occupied_.to(target)) {}

OppositeSpinTables OppositeSpinTables::to(const base::Backend& target) const {
  return {*this, target};
}

OppositeSpinView OppositeSpinTables::view() const {
  OppositeSpinView view = shape_;
  view.first_row = first_row_.data();
  view.first_member = first_member_.data();
  view.members = members_.data();
  view.first_group = first_group_.data();
  view.groups = groups_.data();
  view.sources = sources_.data();
  view.tables = tables_.data();
  view.rows = rows_.data();
  view.chunks = chunks_.data();
  view.words = words_.data();
  view.mixed = mixed_.data();
  view.on_alpha = on_alpha_.data();
  view.from_alpha = from_alpha_.data();
  view.coulomb = coulomb_.data();
  view.alpha_energy = alpha_energy_.data();
  view.beta_energy = beta_energy_.data();
  view.beta_occupied = beta_occupied_.data();
  return view;
}

Index OppositeSpinTables::bytes() const {
  return first_row_.bytes() + first_group_.bytes() + groups_.bytes() + sources_.bytes() +
         tables_.bytes() + rows_.bytes() + chunks_.bytes() + words_.bytes() + mixed_.bytes() +
         on_alpha_.bytes() + from_alpha_.bytes() + coulomb_.bytes() + first_member_.bytes() +
         members_.bytes() + alpha_energy_.bytes() + beta_energy_.bytes() + beta_occupied_.bytes();
}

}  // namespace cisolve::ci
