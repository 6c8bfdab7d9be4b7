#include "ci/properties/density_batch.hpp"

#include <algorithm>
#include <array>

namespace cisolve::ci {
namespace {

using base::kPackLanes;
using base::Pack;

constexpr Index kLineColumns = 16;  // beta strings processed at once
constexpr Index kTilePlaces = 4;
#ifdef __AVX512F__
constexpr Index kTileSlots = 4;
#else
constexpr Index kTileSlots = 1;
#endif

/// sums += products of `kSlots` slots and kTilePlaces rows.
template <Index kSlots>
[[gnu::always_inline]] inline void add_tile(const Pack* moved, const Pack* rows, Index columns,
                                            const std::array<Pack*, kSlots>& sums) {
  Pack::Lanes added[kSlots][kTilePlaces];
  for (Index i = 0; i < kSlots; ++i)
    for (Index k = 0; k < kTilePlaces; ++k) added[i][k] = sums[i][k].of;
  for (Index column = 0; column < columns; ++column)
    for (Index i = 0; i < kSlots; ++i)
      for (Index k = 0; k < kTilePlaces; ++k)
        added[i][k] += moved[i * kLineColumns + column].of * rows[k * kLineColumns + column].of;
  for (Index i = 0; i < kSlots; ++i)
    for (Index k = 0; k < kTilePlaces; ++k) sums[i][k].of = added[i][k];
}

}  // namespace

DensityBatch::DensityBatch(const Space& space, const SingleExcitations& alphas,
                           const SingleExcitations& betas, const double* bra, const double* ket)
    : space_(space),
      alphas_(alphas),
      betas_(betas),
      bra_(bra),
      ket_(ket),
      orbitals_(space.orbitals()),
      line_(space.strings(Spin::beta).size()),
      is_there_(line_.size(), false),
      slot_of_(orbitals_ * orbitals_, -1) {}

void DensityBatch::add(std::span<const StringNumber> batch, std::span<double> mixed) {
  set_line(batch, true);
  find_partners(batch);
  for (auto begin = partners_.begin(); begin != partners_.end();) {
    const auto end = std::find_if(begin, partners_.end(),
                                  [&](const Partner& p) { return p.list != begin->list; });
    add_list({begin, end}, mixed);
    begin = end;
  }
  set_line(batch, false);
}

void DensityBatch::set_line(std::span<const StringNumber> batch, bool is_there) {
  const auto betas = space_.betas_of(batch[0]);
  for (std::size_t i = 0; i < betas.size(); ++i) {
    is_there_[betas[i]] = is_there;
    line_[betas[i]] = {};
    for (std::size_t lane = 0; is_there && lane < batch.size(); ++lane)
      line_[betas[i]].of[lane] = ket_[space_.first_row(batch[lane]) + static_cast<Index>(i)];
  }
}

void DensityBatch::find_partners(std::span<const StringNumber> batch) {
  partners_.clear();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto lane = static_cast<int>(i);
    partners_.push_back({space_.list_of(batch[i]), lane, batch[i], -1, false});
    for (const SingleExcitation& move : alphas_.of(batch[i]))
      if (move.to > move.from)
        partners_.push_back({space_.list_of(move.target), lane, move.target,
                             move.to * orbitals_ + move.from, move.odd});
  }
  std::ranges::stable_sort(partners_, {}, &Partner::list);
}

void DensityBatch::add_list(std::span<const Partner> partners, std::span<double> mixed) {
  std::array<Index, kPackLanes> count{};
  for (const Partner& partner : partners) ++count[partner.lane];
  const Index most = *std::ranges::max_element(count);
  places_ = (most + kTilePlaces - 1) / kTilePlaces * kTilePlaces;
  row_of_.assign(places_ * kPackLanes, nullptr);
  count = {};
  for (const Partner& partner : partners)
    row_of_[count[partner.lane]++ * kPackLanes + partner.lane] =
        bra_ + space_.first_row(partner.alpha);
  rows_.assign(places_ * kLineColumns, {});
  sums_.assign(orbitals_ * orbitals_ * places_, {});
  const auto betas = space_.list(partners[0].list);
  for (Index begin = 0; begin < std::ssize(betas); begin += kLineColumns) {
    const Index columns = std::min(kLineColumns, std::ssize(betas) - begin);
    fill_moved(betas.subspan(begin, columns));
    copy_rows(begin, columns);
    multiply(columns);
  }
  count = {};
  for (const Partner& partner : partners) give(partner, count[partner.lane]++, mixed);
}

/// The reverse of an excitation from a beta string ends at it.
void DensityBatch::fill_moved(std::span<const StringNumber> betas) {
  for (const Index pair : pairs_) slot_of_[pair] = -1;
  pairs_.clear();
  moved_.clear();
  for (std::size_t i = 0; i < betas.size(); ++i) {
    const auto column = static_cast<Index>(i);
    for (const SingleExcitation& move : betas_.of(betas[i])) {
      if (!is_there_[move.target]) continue;
      const Pack::Lanes from = line_[move.target].of;
      moved(move.from * orbitals_ + move.to, column).of = move.odd ? -from : from;
    }
    if (!is_there_[betas[i]]) continue;
    for (const Index r : space_.occupied(Spin::beta, betas[i]))
      moved(r * orbitals_ + r, column) = line_[betas[i]];
  }
}

Pack& DensityBatch::moved(Index pair, Index column) {
  if (slot_of_[pair] < 0) {
    slot_of_[pair] = std::ssize(pairs_);
    pairs_.push_back(pair);
    moved_.resize(moved_.size() + kLineColumns);
  }
  return moved_[slot_of_[pair] * kLineColumns + column];
}

void DensityBatch::copy_rows(Index begin, Index columns) {
  for (Index place = 0; place < places_; ++place)
    base::for_each_pack<kLineColumns>(
        &row_of_[place * kPackLanes], begin, columns,
        [&](Index j, const Pack& pack) { rows_[place * kLineColumns + j] = pack; });
}

CISOLVE_FOR_NEWER_PROCESSORS
void DensityBatch::multiply(Index columns) {
  const auto sums = [&](Index slot, Index place) { return &sums_[pairs_[slot] * places_ + place]; };
  Index slot = 0;
  for (; slot + kTileSlots <= std::ssize(pairs_); slot += kTileSlots)
    for (Index place = 0; place < places_; place += kTilePlaces) {
      std::array<Pack*, kTileSlots> to;
      for (Index i = 0; i < kTileSlots; ++i) to[i] = sums(slot + i, place);
      add_tile<kTileSlots>(&moved_[slot * kLineColumns], &rows_[place * kLineColumns], columns, to);
    }
  for (; slot < std::ssize(pairs_); ++slot)
    for (Index place = 0; place < places_; place += kTilePlaces)
      add_tile<1>(&moved_[slot * kLineColumns], &rows_[place * kLineColumns], columns,
                  {sums(slot, place)});
}

void DensityBatch::give(const Partner& partner, Index place, std::span<double> mixed) const {
  const Index pairs = orbitals_ * orbitals_;
  for (Index rs = 0; rs < pairs; ++rs) {
    const double sum = sums_[rs * places_ + place].of[partner.lane];
    if (partner.pair >= 0)
      mixed[partner.pair * pairs + rs] += partner.odd ? -sum : sum;
    else
      for (const Index p : space_.occupied(Spin::alpha, partner.alpha))
        mixed[(p * orbitals_ + p) * pairs + rs] += sum;
  }
}

}  // namespace cisolve::ci
