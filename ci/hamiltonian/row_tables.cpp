#include "ci/hamiltonian/row_tables.hpp"

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
  if (!backend.is_host()) {
    products_.class_of = products_.class_of.to(backend);
    products_.offsets = products_.offsets.to(backend);
    products_.singles = products_.singles.to(backend);
  }
  view_ = view_of(h);
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

RowTablesView RowTables::view_of(const HamiltonianRows& h) const {
  const bool same = beta_offsets_.size() == 0;
  const RowTablesView::Connections alpha{alpha_offsets_.data(), alpha_.data()};
  return {.rows = shape_.rows,
          .orbitals = h.space_.orbitals(),
          .electrons = {h.space_.electrons(Spin::alpha), h.space_.electrons(Spin::beta)},
          .occupied = {occupied_[0].data(), occupied_[1].data()},
          .alphas = list_of_.size(),
          .first_row = first_row_.data(),
          .list_of = list_of_.data(),
          .list_offsets = list_offsets_.data(),
          .members = members_.data(),
          .positions = null_if_empty(positions_),
          .has_all_betas = list_offsets_.size() == 2 && members_.size() == h.space_.beta_count(),
          .betas = h.space_.beta_count(),
          .alpha = alpha,
          .beta = same ? alpha : RowTablesView::Connections{beta_offsets_.data(), beta_.data()},
          .class_of = products_.class_of.data(),
          .short_offsets = products_.offsets.data(),
          .shorts = products_.singles.data(),
          .products_exact = products_.exact,
          .mixed = mixed_.data(),
          .beta_pairs = h.mixed_.beta_pairs_,
          .on_alpha = on_alpha_.data(),
          .on_beta = on_beta_.data(),
          .core_energy = h.diagonal_.core_energy_,
          .alpha_energy = alpha_energy_.data(),
          .beta_energy = beta_energy_.data(),
          .coulomb = coulomb_.data(),
          .threshold = h.threshold_,
          .reference = shape_.reference_columns,
          .stored = null_if_empty(stored_),
          .canonical = null_if_empty(canonical_)};
}

}  // namespace cisolve::ci
