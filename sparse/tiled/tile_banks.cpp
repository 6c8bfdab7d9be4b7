#include "sparse/tiled/tile_banks.hpp"

#include <algorithm>

#include "sparse/tiled/tiled_plan.hpp"

namespace cisolve::sparse {
namespace {

constexpr Index kReach = 16;  // look-ahead in elements

}  // namespace

// All banks are used by 8 bytes of 16 lanes, or by 16 bytes of 8 lanes.
BankConflictOrder::BankConflictOrder(TileCode code, int vectors)
    : code_(code),
      lanes_together_(vectors == 1 ? 16 : 8),
      rotations_(std::max(1, vectors / 2)),
      banks_(16U / static_cast<unsigned>(vectors)),
      ends_(kTileLanes) {}

void BankConflictOrder::arrange(Tiled& matrix, Index first_unit, Index units) {
  length_ = units * kUnitWidth;
  codes_.resize(length_ * kTileLanes);
  values_.resize(length_ * kTileLanes);
  const auto for_each_place = [&](auto&& visit) {
    for (int lane = 0; lane < kTileLanes; ++lane)
      for (Index k = 0; k < length_; ++k)
        visit(lane * length_ + k, first_unit + k / kUnitWidth, lane, k % kUnitWidth);
  };
  for_each_place([&](Index element, Index unit, int lane, Index k) {
    const PlacedElement found = element_at(matrix, unit, lane, k);
    codes_[element] = found.code;
    values_[element] = found.value;
  });
  for (int first = 0; first < kTileLanes; first += lanes_together_)
    for (int rotation = 0; rotation < rotations_; ++rotation)
      arrange_lanes(first + rotation, rotations_);
  for_each_place([&](Index element, Index unit, int lane, Index k) {
    put_element(matrix, unit, lane, k, {codes_[element], values_[element]});
  });
}

/// True if an element belongs to another row than the one before it, or to none.
bool BankConflictOrder::ends_segment(Index element) const {
  return code_.is_jump(codes_[element]) || code_.row_step(codes_[element]) != 0;
}

/// Reorders the lanes from `first` on, `stride` apart, that are served at once.
void BankConflictOrder::arrange_lanes(int first, int stride) {
  const int last = first / lanes_together_ * lanes_together_ + lanes_together_;
  for (int lane = first; lane < last; lane += stride) ends_[lane] = 0;
  for (Index step = 0; step < length_; ++step) {
    for (int lane = first; lane < last; lane += stride) {
      if (ends_[lane] > step) continue;
      Index& end = ends_[lane];
      for (end = step + 1; end < length_ && !ends_segment(lane * length_ + end);) ++end;
    }
    std::uint32_t taken = banks_without_choice(first, stride, step);
    for (int lane = first; lane < last; lane += stride)
      if (ends_[lane] > step + 1)
        choose(lane * length_ + step, lane * length_ + std::min(ends_[lane], step + kReach), taken);
  }
}

std::uint32_t BankConflictOrder::banks_without_choice(int first, int stride, Index step) const {
  const int last = first / lanes_together_ * lanes_together_ + lanes_together_;
  std::uint32_t taken = 0;
  for (int lane = first; lane < last; lane += stride) {
    const Index element = lane * length_ + step;
    if (ends_[lane] == step + 1 && !code_.is_jump(codes_[element])) taken |= 1U << bank(element);
  }
  return taken;
}

/// Exchanges `element` with the first one before `end` whose bank is free, if there is any.
void BankConflictOrder::choose(Index element, Index end, std::uint32_t& taken) {
  if (code_.is_jump(codes_[element])) return;
  for (Index other = element; other < end; ++other) {
    if ((taken >> bank(other) & 1U) != 0) continue;
    exchange(element, other);
    break;
  }
  taken |= 1U << bank(element);
}

/// The step to the row stays with the position.
void BankConflictOrder::exchange(Index a, Index b) {
  const unsigned mask = code_.longest_jump();
  const unsigned both = (codes_[a] ^ codes_[b]) & mask;
  codes_[a] = static_cast<std::uint16_t>(codes_[a] ^ both);
  codes_[b] = static_cast<std::uint16_t>(codes_[b] ^ both);
  std::swap(values_[a], values_[b]);
}

}  // namespace cisolve::sparse
