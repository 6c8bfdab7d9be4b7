#include "ci/hamiltonian/on_the_fly/block_builder.hpp"

#include <algorithm>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kMostLists = 512;
constexpr Index kMostWindow = 4096;  // rows whose sums fit in a block's own memory
constexpr Index kLeastUses = 4;      // average uses that make a table worth its bytes
constexpr double kFewMoves = 1e6;

}  // namespace

BlockBuilder::BlockBuilder(const HamiltonianRows& h)
    : space_(h.space()),
      host_(space_.host()),
      rows_(h, host_),
      t_(rows_.view()),
      alpha_pairs_(rows_.alpha_pairs()),
      lists_(space_.lists()) {}

std::unique_ptr<BlockBuilder> BlockBuilder::found(const HamiltonianRows& h) {
  if (!may_serve(h.space())) return nullptr;
  std::unique_ptr<BlockBuilder> builder(new BlockBuilder(h));
  return builder->find() ? std::move(builder) : nullptr;
}

bool BlockBuilder::may_serve(const Space& space) {
  if (space.lists() > kMostLists) return false;
  for (Index list = 0; list < space.lists(); ++list)
    if (std::ssize(space.list(list)) > PackedExcitation::kMostPlaces) return false;
  return true;
}

bool BlockBuilder::find() {
  if (t_.beta_pairs > PackedExcitation::kMostPairs) return false;
  link_of_.assign(lists_ * lists_, -1);
  for (Index pair = 0; pair < alpha_pairs_; ++pair)
    adds_alone_.push_back(t_.adds_any(t_.on_alpha, pair));
  find_windows();
  find_links();
  return is_worth_it() && fits();
}

ExcitationSlices BlockBuilder::products() const {
  std::vector<ExcitationSlices::Rows> ranges;
  for (const ProductsTable& table : product_tables_)
    ranges.push_back({window_begins_[table.window], window_ends_[table.window]});
  return {ranges, false,
          [this](Index table, Index row, const ExcitationSlices::Visit& visit) {
            const ProductsTable& of = product_tables_[table];
            const Index list = of.klass * t_.betas + member(of.link.from, row);
            for (Index k = t_.class_single_offsets[list]; k < t_.class_single_offsets[list + 1];
                 ++k)
              visit_product(of.link.to, t_.class_singles[k], visit);
          },
          host_};
}

ExcitationSlices BlockBuilder::own() const {
  std::vector<ExcitationSlices::Rows> ranges;
  for (std::size_t w = 0; w < window_begins_.size(); ++w)
    ranges.push_back({window_begins_[w], window_ends_[w]});
  return {ranges, true,
          [this](Index window, Index row, const ExcitationSlices::Visit& visit) {
            const Index list = list_of_window_[window];
            const Index beta = member(list, row);
            for (Index k = t_.beta.offsets[beta]; k < t_.beta.offsets[beta + 1]; ++k)
              visit_own(list, t_.beta.all[k], visit);
          },
          host_};
}

base::Array<std::uint16_t> BlockBuilder::maps(base::Array<Index>& map_of) const {
  map_of = base::Array<Index>(host_, std::ssize(links_), "the links of lists");
  Index size = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const bool same = links_[i].from == links_[i].to;
    map_of[static_cast<Index>(i)] = same ? -1 : size;
    if (!same) size += size_of(links_[i].from);
  }
  base::Array<std::uint16_t> maps(host_, size, "the links of lists");
  base::for_each_chunk(std::ssize(links_), 1, host_, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      if (map_of[i] < 0) continue;
      for (Index place = 0; place < size_of(links_[i].from); ++place) {
        const StringNumber there = space_.position(links_[i].to, member(links_[i].from, place));
        maps[map_of[i] + place] =
            there < 0 ? BlocksView::kNowhere : static_cast<std::uint16_t>(there);
      }
    }
  });
  return maps;
}

base::Array<double> BlockBuilder::others(base::Array<Column>& others_of) const {
  others_of = base::Array<Column>(host_, alpha_pairs_, "the integrals of singles");
  std::vector<Index> pairs;
  for (Index pair = 0; pair < alpha_pairs_; ++pair) {
    const bool adds = adds_alone_[pair];
    others_of[pair] = adds ? static_cast<Column>(pairs.size()) : -1;
    if (adds) pairs.push_back(pair);
  }
  return summed(pairs, t_.on_alpha, 1, t_.betas, false);
}

base::Array<double> BlockBuilder::from_alpha() const {
  std::vector<Index> pairs;
  bool any = false;
  for (Index pair = 0; pair < t_.beta_pairs; ++pair) {
    any |= t_.adds_any(t_.on_beta, pair);
    pairs.push_back(pair);
  }
  if (!any) pairs.clear();
  return summed(pairs, t_.on_beta, 0, t_.alphas, true);
}

std::vector<BlockItem> BlockBuilder::items(const ExcitationSlices& products,
                                           const ExcitationSlices& own) const {
  std::vector<BlockItem> items;
  std::vector<Index> work;
  for (Index a = 0; a < t_.alphas; ++a) {
    const Index list = t_.list_of[a];
    for (Index w = first_window_[list]; w < first_window_[list + 1]; ++w) {
      items.push_back({static_cast<Column>(a), static_cast<Column>(w)});
      work.push_back(moves_of(a, w, products) + own.moves_of(w));
    }
  }
  std::vector<Index> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Index i) { return work[i]; });
  std::vector<BlockItem> sorted;
  for (const Index i : order) sorted.push_back(items[i]);
  return sorted;
}

std::vector<Index> BlockBuilder::first_rows() const {
  return {t_.first_row, t_.first_row + t_.alphas};
}

std::vector<Index> BlockBuilder::reaches(const ExcitationSlices& products) const {
  std::vector<Index> reaches(window_begins_.size(), 0);
  for (std::size_t i = 0; i < product_tables_.size(); ++i) {
    const ProductsTable& table = product_tables_[i];
    if (products.moves_of(static_cast<Index>(i)) == 0) continue;
    const Index own = size_of(list_of_window_[table.window]);
    reaches[table.window] = std::max({reaches[table.window], size_of(table.link.to), own});
  }
  return reaches;
}

std::vector<Index> BlockBuilder::list_sizes() const {
  std::vector<Index> sizes;
  for (const Index list : list_of_window_) sizes.push_back(size_of(list));
  return sizes;
}

void BlockBuilder::find_windows() {
  for (Index list = 0; list < lists_; ++list) {
    first_window_.push_back(std::ssize(window_begins_));
    const Index size = size_of(list);
    const Index count = (size + kMostWindow - 1) / kMostWindow;
    for (Index w = 0; w < count; ++w) {
      window_begins_.push_back(size * w / count);
      window_ends_.push_back(size * (w + 1) / count);
      list_of_window_.push_back(list);
    }
  }
  first_window_.push_back(std::ssize(window_begins_));
}

void BlockBuilder::find_links() {
  for (Index pair = 0; pair < alpha_pairs_; ++pair)
    classes_ = std::max<Index>(classes_, t_.class_of[pair] + 1);
  std::vector<bool> is_used;
  for (Index a = 0; a < t_.alphas; ++a)
    for (Index k = t_.alpha.offsets[a]; k < t_.alpha.offsets[a + 1]; ++k) {
      const Connection& to = t_.alpha.all[k];
      if (to.code == Connection::kSelf) continue;
      const Index from = t_.list_of[a];
      Column& link = link_of_[from * lists_ + t_.list_of[to.target]];
      if (link < 0) {
        link = static_cast<Column>(links_.size());
        links_.push_back({from, Index{t_.list_of[to.target]}});
        is_used.resize(links_.size() * classes_, false);
      }
      if (!to.is_single()) continue;
      is_used[link * classes_ + t_.class_of[to.pair().pair()]] = true;
      ++singles_;
    }
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    products_of_.push_back(is_used[i] ? std::ssize(product_tables_) : -1);
    products_moves_.push_back(0);
    if (is_used[i]) add_tables(links_[i / classes_], static_cast<Index>(i) % classes_);
  }
}

// Extrapolated from evenly spaced rows if there are many.
double BlockBuilder::estimated(Index rows, const MovesOfRow& moves) const {
  constexpr Index kLooked = 64;
  const Index looked = std::min(rows, kLooked);
  Index found = 0;
  for (Index i = 0; i < looked; ++i)
    moves(rows * i / looked, [&](const ExcitationSlices::Entry&) { ++found; });
  return rows == 0
             ? 0.0
             : static_cast<double>(found) * static_cast<double>(rows) / static_cast<double>(looked);
}

void BlockBuilder::add_tables(const Link& link, Index klass) {
  for (Index w = first_window_[link.from]; w < first_window_[link.from + 1]; ++w)
    product_tables_.push_back({link, klass, w});
  const double moves =
      estimated(size_of(link.from), [&](Index place, const ExcitationSlices::Visit& visit) {
        const Index list = klass * t_.betas + member(link.from, place);
        for (Index k = t_.class_single_offsets[list]; k < t_.class_single_offsets[list + 1]; ++k)
          visit_product(link.to, t_.class_singles[k], visit);
      });
  products_moves_.back() = moves;
  most_moves_ += moves;
}

Index BlockBuilder::summed_bytes() const {
  return (alpha_pairs_ * t_.betas + t_.beta_pairs * t_.alphas) * Index{sizeof(double)};
}

bool BlockBuilder::is_worth_it() const {
  return most_moves_ <= kFewMoves || singles_ >= kLeastUses * std::ssize(product_tables_);
}

bool BlockBuilder::fits() const {
  const double bytes = sizeof(PackedExcitation) * most_moves_ + static_cast<double>(summed_bytes());
  return bytes < static_cast<double>(host_.memory().left()) / 4;
}

void BlockBuilder::visit_product(Index list, const Single& single,
                                 const ExcitationSlices::Visit& visit) const {
  if (single.pair.code == Connection::kSelf) return;
  const StringNumber place = space_.position(list, single.target);
  if (place < 0) return;
  visit({PackedExcitation::of(place, single.pair.pair(), single.pair.sign() < 0)});
}

void BlockBuilder::visit_own(Index list, const Connection& to,
                             const ExcitationSlices::Visit& visit) const {
  if (to.code == Connection::kSelf) return;
  const Index pair = to.is_single() ? to.pair().pair() : t_.beta_pairs;
  if (to.is_single() && to.value == 0 && !t_.adds_any(t_.on_beta, pair)) return;
  const StringNumber place = space_.position(list, to.target);
  if (place < 0) return;
  visit({PackedExcitation::of(place, pair, to.is_single() && to.pair().sign() < 0), to.value});
}

base::Array<double> BlockBuilder::summed(const std::vector<Index>& pairs, const double* table,
                                         int spin, Index strings, bool by_string) const {
  const Index count = std::ssize(pairs);
  base::Array<double> sums(host_, count * strings, "the integrals of singles");
  base::for_each_chunk(count == 0 ? 0 : strings, 64, host_, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s)
      for (Index i = 0; i < count; ++i) {
        const double* row = table + pairs[i] * t_.orbitals;
        const std::uint8_t* electrons = t_.occupied[spin] + s * t_.electrons[spin];
        double sum = 0;
        for (int e = 0; e < t_.electrons[spin]; ++e) sum += row[electrons[e]];
        sums[by_string ? s * count + i : i * strings + s] = sum;
      }
  });
  return sums;
}

}  // namespace cisolve::ci
