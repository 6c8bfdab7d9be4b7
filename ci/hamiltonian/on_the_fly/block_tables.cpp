#include "ci/hamiltonian/on_the_fly/block_tables.hpp"

#include <algorithm>

#include "ci/hamiltonian/on_the_fly/block_builder.hpp"

namespace cisolve::ci {
namespace {

template <class T>
base::Array<T> copied(std::span<const T> values, const base::Backend& backend) {
  return base::Array<T>::copy_of(values, backend, "the blocks of alpha strings");
}

RowTables rows_on(BlockBuilder& built, const base::Backend& backend) {
  RowTables rows = built.take_rows();
  return backend.is_host() ? std::move(rows) : rows.to(backend);
}

}  // namespace

std::optional<BlockTables> BlockTables::of(const HamiltonianRows& h, const base::Backend& backend) {
  const auto found = BlockBuilder::found(h);
  if (!found) return std::nullopt;
  return BlockTables(*found, backend);
}

BlockTables::BlockTables(BlockBuilder& built, const base::Backend& backend)
    : products_(built.products()),
      own_(built.own()),
      items_(built.items(products_, own_)),
      works_(built.works(items_, products_, own_)),
      first_rows_(built.first_rows()),
      begins_(built.window_begins().begin(), built.window_begins().end()),
      reaches_(built.reaches(products_)),
      list_sizes_(built.list_sizes()),
      lists_(built.lists()),
      classes_(built.classes()),
      first_window_(copied(built.first_window(), backend)),
      window_begins_(copied(built.window_begins(), backend)),
      window_ends_(copied(built.window_ends(), backend)),
      link_of_(copied(built.link_of(), backend)),
      map_of_(built.host(), 0, "the links of lists"),
      maps_(built.maps(map_of_)),
      products_of_(copied(built.products_of(), backend)),
      others_of_(built.host(), 0, "the integrals of singles"),
      others_(built.others(others_of_)),
      from_alpha_(built.from_alpha()),
      rows_(rows_on(built, backend)) {
  for (std::size_t w = 0; w < built.window_begins().size(); ++w)
    window_sizes_.push_back(built.window_ends()[w] - built.window_begins()[w]);
  if (backend.is_host()) return;
  products_ = products_.to(backend);
  own_ = own_.to(backend);
  map_of_ = map_of_.to(backend);
  maps_ = maps_.to(backend);
  others_of_ = others_of_.to(backend);
  others_ = others_.to(backend);
  from_alpha_ = from_alpha_.to(backend);
}

BlocksView BlockTables::view() const {
  return {.t = rows_.canonical_view(),
          .lists = lists_,
          .classes = classes_,
          .first_window = first_window_.data(),
          .window_begins = window_begins_.data(),
          .window_ends = window_ends_.data(),
          .link_of = link_of_.data(),
          .map_of = map_of_.data(),
          .maps = maps_.data(),
          .products_of = products_of_.data(),
          .products = products_.view(),
          .own = own_.view(),
          .no_pair = rows_.view().beta_pairs,
          .others_of = others_of_.data(),
          .others = others_.data(),
          .from_alpha = from_alpha_.size() == 0 ? nullptr : from_alpha_.data()};
}

void BlockTables::keep(const std::vector<bool>& is_retained) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!is_retained[i]) continue;
    items_[kept] = items_[i];
    works_[kept] = works_[i];
    ++kept;
  }
  items_.resize(kept);
  works_.resize(kept);
}

Index BlockTables::bytes() const {
  return rows_.bytes() + products_.bytes() + own_.bytes() + first_window_.bytes() +
         window_begins_.bytes() + window_ends_.bytes() + link_of_.bytes() + map_of_.bytes() +
         maps_.bytes() + products_of_.bytes() + others_of_.bytes() + others_.bytes() +
         from_alpha_.bytes();
}

}  // namespace cisolve::ci
