#include <algorithm>

#include "ci/hamiltonian/on_the_fly/block_builder.hpp"

// Work of the items of a product by blocks, and of the whole product.
namespace cisolve::ci {
namespace {

constexpr Index kConnection = 200;  // cost of a connection of an item, in elements

}  // namespace

std::vector<double> BlockBuilder::works(const std::vector<BlockItem>& items,
                                        const ExcitationSlices& products,
                                        const ExcitationSlices& own) const {
  std::vector<double> works;
  for (const BlockItem& item : items)
    works.push_back(work_of(item, products) + static_cast<double>(own.moves_of(item.window)));
  return works;
}

ComputedCost BlockBuilder::work() const {
  std::vector<double> own;
  for (Index list = 0; list < lists_; ++list)
    own.push_back(estimated(size_of(list), [&](Index place, const ExcitationSlices::Visit& visit) {
      const Index beta = member(list, place);
      for (Index k = t_.beta.offsets[beta]; k < t_.beta.offsets[beta + 1]; ++k)
        visit_own(list, t_.beta.all[k], visit);
    }));
  ComputedCost all{.by_blocks = true};
  for (Index a = 0; a < t_.alphas; ++a) {
    const ComputedCost one = work_of(a, own[t_.list_of[a]]);
    all.moves += one.moves;
    all.streams += one.streams;
    all.copies += one.copies;
    all.largest = std::max(all.largest, one.largest);
  }
  double own_moves = 0;
  for (const double moves : own) own_moves += moves;
  all.bytes = rows_.bytes() +
              static_cast<Index>(sizeof(PackedExcitation) * most_moves_ +
                                 sizeof(ExcitationSlices::Entry) * own_moves) +
              summed_bytes();
  return all;
}

ComputedCost BlockBuilder::work_of(Index alpha, double own) const {
  const Index list = t_.list_of[alpha];
  const auto rows = static_cast<double>(size_of(list));
  const auto windows = static_cast<double>(first_window_[list + 1] - first_window_[list]);
  ComputedCost work{.moves = own, .copies = windows * rows};
  for (Index k = t_.alpha.offsets[alpha]; k < t_.alpha.offsets[alpha + 1]; ++k) {
    const Connection& to = t_.alpha.all[k];
    if (to.code == Connection::kSelf) continue;
    const bool streams = !to.is_single() || to.value != 0 || adds_alone_[to.pair().pair()];
    work.streams += streams ? rows : 0;
    if (!to.is_single()) continue;
    const Index target = t_.list_of[to.target];
    const double moves = products_moves_[link_of_[list * lists_ + target] * classes_ +
                                         t_.class_of[to.pair().pair()]];
    work.moves += moves;
    if (moves > 0) work.copies += windows * static_cast<double>(size_of(target));
  }
  work.largest = (work.moves + work.streams + work.copies) / windows;
  return work;
}

double BlockBuilder::work_of(const BlockItem& item, const ExcitationSlices& products) const {
  const Index list = list_of_window_[item.window];
  const Index rows = window_ends_[item.window] - window_begins_[item.window];
  Index work = size_of(list);
  for (Index k = t_.alpha.offsets[item.alpha]; k < t_.alpha.offsets[item.alpha + 1]; ++k) {
    const Connection& to = t_.alpha.all[k];
    if (to.code == Connection::kSelf) continue;
    work += kConnection;
    if (!to.is_single() || to.value != 0 || adds_alone_[to.pair().pair()]) work += rows;
    if (!to.is_single()) continue;
    const Index target = t_.list_of[to.target];
    const Index table =
        products_of_[link_of_[list * lists_ + target] * classes_ + t_.class_of[to.pair().pair()]];
    const Index moves =
        table < 0 ? 0 : products.moves_of(table + item.window - first_window_[list]);
    work += moves + (moves > 0 ? size_of(target) : 0);
  }
  return static_cast<double>(work);
}

Index BlockBuilder::moves_of(Index alpha, Index window, const ExcitationSlices& products) const {
  const Index list = list_of_window_[window];
  const Index place = window - first_window_[list];
  const Index streams = t_.alpha.offsets[alpha + 1] - t_.alpha.offsets[alpha];
  Index work = streams * (window_ends_[window] - window_begins_[window]) / 4;
  for (Index k = t_.alpha.offsets[alpha]; k < t_.alpha.offsets[alpha + 1]; ++k) {
    const Connection& to = t_.alpha.all[k];
    if (!to.is_single()) continue;
    const Column link = link_of_[list * lists_ + t_.list_of[to.target]];
    const Index table = products_of_[link * classes_ + t_.class_of[to.pair().pair()]];
    if (table >= 0) work += products.moves_of(table + place);
  }
  return work;
}

}  // namespace cisolve::ci
