#include "ci/properties/density_batch.hpp"

#include <algorithm>
#include <array>

namespace cisolve::ci {
namespace {

using base::kPackLanes;
using base::Pack;

constexpr Index kLineColumns = 16;  // beta strings processed at once
constexpr Index kTileRows = 4;
#ifdef __AVX512F__
constexpr Index kTilePairs = 4;
#else
constexpr Index kTilePairs = 1;
#endif

/// Adds to `sums` the products of kPairs pairs and kTileRows rows.
template <Index kPairs>
[[gnu::always_inline]] inline void add_tile(const Pack* moved, const Pack* rows, Index columns,
                                            const std::array<Pack*, kPairs>& sums) {
  Pack::Lanes added[kPairs][kTileRows];
  for (Index i = 0; i < kPairs; ++i)
    for (Index k = 0; k < kTileRows; ++k) added[i][k] = sums[i][k].of;
  for (Index column = 0; column < columns; ++column)
    for (Index i = 0; i < kPairs; ++i)
      for (Index k = 0; k < kTileRows; ++k)
        added[i][k] += moved[i * kLineColumns + column].of * rows[k * kLineColumns + column].of;
  for (Index i = 0; i < kPairs; ++i)
    for (Index k = 0; k < kTileRows; ++k) sums[i][k].of = added[i][k];
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
      number_of_(orbitals_ * orbitals_, -1) {}

void DensityBatch::add(std::span<const StringNumber> batch, std::span<double> alpha_beta_density) {
  set_line(batch, true);
  find_partners(batch);
  for (auto begin = partners_.begin(); begin != partners_.end();) {
    const auto end = std::find_if(begin, partners_.end(),
                                  [&](const Partner& p) { return p.list != begin->list; });
    add_list({begin, end}, alpha_beta_density);
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

void DensityBatch::add_list(std::span<const Partner> partners,
                            std::span<double> alpha_beta_density) {
  std::array<Index, kPackLanes> count{};
  for (const Partner& partner : partners) ++count[partner.lane];
  const Index most = *std::ranges::max_element(count);
  row_count_ = (most + kTileRows - 1) / kTileRows * kTileRows;
  row_of_.assign(row_count_ * kPackLanes, nullptr);
  count = {};
  for (const Partner& partner : partners)
    row_of_[count[partner.lane]++ * kPackLanes + partner.lane] =
        bra_ + space_.first_row(partner.alpha);
  rows_.assign(row_count_ * kLineColumns, {});
  sums_.assign(orbitals_ * orbitals_ * row_count_, {});
  const auto betas = space_.list(partners[0].list);
  for (Index begin = 0; begin < std::ssize(betas); begin += kLineColumns) {
    const Index columns = std::min(kLineColumns, std::ssize(betas) - begin);
    fill_moved(betas.subspan(begin, columns));
    copy_rows(begin, columns);
    multiply(columns);
  }
  count = {};
  for (const Partner& partner : partners)
    add_to_density(partner, count[partner.lane]++, alpha_beta_density);
}

/// Excitations that end at a beta string are the reverse of those that start there.
void DensityBatch::fill_moved(std::span<const StringNumber> betas) {
  for (const Index pair : pairs_) number_of_[pair] = -1;
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
  if (number_of_[pair] < 0) {
    number_of_[pair] = std::ssize(pairs_);
    pairs_.push_back(pair);
    moved_.resize(moved_.size() + kLineColumns);
  }
  return moved_[number_of_[pair] * kLineColumns + column];
}

void DensityBatch::copy_rows(Index begin, Index columns) {
  for (Index row = 0; row < row_count_; ++row)
    base::for_each_pack<kLineColumns>(
        &row_of_[row * kPackLanes], begin, columns,
        [&](Index j, const Pack& pack) { rows_[row * kLineColumns + j] = pack; });
}

CISOLVE_FOR_NEWER_PROCESSORS
void DensityBatch::multiply(Index columns) {
  const auto sums = [&](Index number, Index row) {
    return &sums_[pairs_[number] * row_count_ + row];
  };
  Index number = 0;
  for (; number + kTilePairs <= std::ssize(pairs_); number += kTilePairs)
    for (Index row = 0; row < row_count_; row += kTileRows) {
      std::array<Pack*, kTilePairs> to;
      for (Index i = 0; i < kTilePairs; ++i) to[i] = sums(number + i, row);
      add_tile<kTilePairs>(&moved_[number * kLineColumns], &rows_[row * kLineColumns], columns, to);
    }
  for (; number < std::ssize(pairs_); ++number)
    for (Index row = 0; row < row_count_; row += kTileRows)
      add_tile<1>(&moved_[number * kLineColumns], &rows_[row * kLineColumns], columns,
                  {sums(number, row)});
}

void DensityBatch::add_to_density(const Partner& partner, Index row,
                                  std::span<double> alpha_beta_density) const {
  const Index pairs = orbitals_ * orbitals_;
  for (Index rs = 0; rs < pairs; ++rs) {
    const double sum = sums_[rs * row_count_ + row].of[partner.lane];
    if (partner.pair >= 0)
      alpha_beta_density[partner.pair * pairs + rs] += partner.odd ? -sum : sum;
    else
      for (const Index p : space_.occupied(Spin::alpha, partner.alpha))
        alpha_beta_density[(p * orbitals_ + p) * pairs + rs] += sum;
  }
}

}  // namespace cisolve::ci
