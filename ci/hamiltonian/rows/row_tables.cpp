#include "ci/hamiltonian/rows/row_tables.hpp"

namespace cisolve::ci {
namespace {

template <class T>
base::Array<T> none(const base::Backend& backend) {
  return {backend, 0, "nothing"};
}

template <class T>
const T* null_if_empty(const base::Array<T>& array) {
  return array.size() == 0 ? nullptr : array.data();
}

}  // namespace

RowTables::RowTables(const HamiltonianRows& h, const base::Backend& backend)
    : shape_(h.shape()),
      occupied_{h.space_.occupied_[0].to(backend, "the occupied orbitals"),
                h.space_.occupied_[1].to(backend, "the occupied orbitals")},
      first_row_(h.space_.first_row_.to(backend, "the rows of the alpha strings")),
      list_of_(h.space_.list_of_.to(backend, "the lists of alpha strings")),
      list_offsets_(h.space_.list_offsets_.to(backend, "the lists of beta strings")),
      members_(h.space_.members_.to(backend, "the lists of beta strings")),
      positions_(h.space_.positions_.to(backend, "the positions in the lists of beta strings")),
      alpha_offsets_(h.alpha_->offsets_.to(backend, "the offsets of connections")),
      alpha_(h.alpha_->connections_.to(backend, "the connections of strings")),
      beta_offsets_(h.alpha_ == h.beta_
                        ? none<Index>(backend)
                        : h.beta_->offsets_.to(backend, "the offsets of connections")),
      beta_(h.alpha_ == h.beta_ ? none<Connection>(backend)
                                : h.beta_->connections_.to(backend, "the connections of strings")),
      products_(*h.alpha_, *h.beta_, h.mixed_, h.space_.beta_count(), h.space_.host()),
      mixed_(h.mixed_.values_.to(backend, "the alpha-beta integrals")),
      on_alpha_(h.on_alpha_.to(backend, "the integrals of singles")),
      on_beta_(h.on_beta_.to(backend, "the integrals of singles")),
      alpha_energy_(h.diagonal_.alpha_energy_.to(backend, "the energies of strings")),
      beta_energy_(h.diagonal_.beta_energy_.to(backend, "the energies of strings")),
      coulomb_(
          base::Array<double>::copy_of(h.diagonal_.coulomb_, backend, "the Coulomb integrals")),
      stored_(h.partition_.stored_.to(backend, "a partition")),
      canonical_(h.partition_.canonical_.to(backend, "a partition")) {
  if (!backend.is_host()) products_ = products_.to(backend);
  view_.orbitals = h.space_.orbitals();
  view_.electrons[0] = h.space_.electrons(Spin::alpha);
  view_.electrons[1] = h.space_.electrons(Spin::beta);
  view_.betas = h.space_.beta_count();
  view_.beta_pairs = h.mixed_.beta_pairs_;
  view_.core_energy = h.diagonal_.core_energy_;
  view_.threshold = h.threshold_;
  view_.products_exact = products_.exact;
  point();
}

RowTables::RowTables(const RowTables& other, const base::Backend& backend)
    : shape_(other.shape_),
      occupied_{other.occupied_[0].to(backend), other.occupied_[1].to(backend)},
      first_row_(other.first_row_.to(backend)),
      list_of_(other.list_of_.to(backend)),
      list_offsets_(other.list_offsets_.to(backend)),
      members_(other.members_.to(backend)),
      positions_(other.positions_.to(backend)),
      alpha_offsets_(other.alpha_offsets_.to(backend)),
      alpha_(other.alpha_.to(backend)),
      beta_offsets_(other.beta_offsets_.to(backend)),
      beta_(other.beta_.to(backend)),
      products_(other.products_.to(backend)),
      mixed_(other.mixed_.to(backend)),
      on_alpha_(other.on_alpha_.to(backend)),
      on_beta_(other.on_beta_.to(backend)),
      alpha_energy_(other.alpha_energy_.to(backend)),
      beta_energy_(other.beta_energy_.to(backend)),
      coulomb_(other.coulomb_.to(backend)),
      stored_(other.stored_.to(backend)),
      canonical_(other.canonical_.to(backend)),
      view_(other.view_) {
  point();
}

RowTablesView RowTables::canonical_view() const {
  RowTablesView view = view_;
  view.stored = nullptr;
  view.canonical = nullptr;
  return view;
}

Index RowTables::bytes() const {
  return occupied_[0].bytes() + occupied_[1].bytes() + first_row_.bytes() + list_of_.bytes() +
         list_offsets_.bytes() + members_.bytes() + positions_.bytes() + alpha_offsets_.bytes() +
         alpha_.bytes() + beta_offsets_.bytes() + beta_.bytes() + products_.class_of.bytes() +
         products_.offsets.bytes() + products_.singles.bytes() + mixed_.bytes() +
         on_alpha_.bytes() + on_beta_.bytes() + alpha_energy_.bytes() + beta_energy_.bytes() +
         coulomb_.bytes() + stored_.bytes() + canonical_.bytes();
}

void RowTables::point() {
  RowTablesView& v = view_;
  v.rows = shape_.rows;
  v.reference = shape_.reference_columns;
  v.occupied[0] = occupied_[0].data();
  v.occupied[1] = occupied_[1].data();
  v.alphas = list_of_.size();
  v.first_row = first_row_.data();
  v.list_of = list_of_.data();
  v.list_offsets = list_offsets_.data();
  v.members = members_.data();
  v.positions = null_if_empty(positions_);
  v.has_all_betas = list_offsets_.size() == 2 && members_.size() == v.betas;
  v.alpha = {alpha_offsets_.data(), alpha_.data()};
  const bool same = beta_offsets_.size() == 0;
  v.beta = same ? v.alpha : RowTablesView::Connections{beta_offsets_.data(), beta_.data()};
  v.class_of = products_.class_of.data();
  v.class_single_offsets = products_.offsets.data();
  v.class_singles = products_.singles.data();
  v.mixed = mixed_.data();
  v.on_alpha = on_alpha_.data();
  v.on_beta = on_beta_.data();
  v.alpha_energy = alpha_energy_.data();
  v.beta_energy = beta_energy_.data();
  v.coulomb = coulomb_.data();
  v.stored = null_if_empty(stored_);
  v.canonical = null_if_empty(canonical_);
}

std::vector<std::vector<Column>> alphas_of_lists(const RowTablesView& t) {
  std::vector<std::vector<Column>> alphas;
  for (Index a = 0; a < t.alphas; ++a) {
    if (t.list_of[a] >= std::ssize(alphas)) alphas.resize(t.list_of[a] + 1);
    alphas[t.list_of[a]].push_back(static_cast<Column>(a));
  }
  return alphas;
}

}  // namespace cisolve::ci
