#pragma once

#include "sparse/tiled/cuda/lane_sequence.cuh"
#include "sparse/tiled/magnitude_codes.hpp"

// Writes the runs of a cell in the order of BankConflictOrder.
namespace cisolve::sparse::cuda {

inline constexpr int kReach = 16;  // look-ahead in elements, as in BankConflictOrder
inline constexpr int kLayoutWarps = 4;

/// Candidates of the lanes of a warp: the next elements of each lane.
struct LookAhead {
  double values[kReach][kTileLanes];
  std::uint16_t codes[kReach][kTileLanes];
};

/// A lane's part in the order of a warp. Bit j of `ends_` is set if candidate j belongs to another
/// row than the element before it, or to none; nibble j of `banks_` is its bank.
class LaneOrder {
 public:
  __device__ LaneOrder(LookAhead& ahead, TileCode code, int vectors)
      : ahead_(ahead),
        code_(code),
        rotations_(vectors < 4 ? 1 : vectors / 2),
        bank_mask_(16U / static_cast<unsigned>(vectors) - 1) {
    const int together = vectors == 1 ? 16 : 8;
    first_ = lane_ / together * together + lane_ % rotations_;
    lanes_ = together / rotations_;
    for (int lane = first_; lane < first_ + together; lane += rotations_) served_ |= 1U << lane;
  }

  /// Adds element `number` to the candidates.
  __device__ void bring(Index number, const CodedValue& element) {
    const int slot = static_cast<int>(number % kReach);
    const int j = static_cast<int>(number - step_);
    ahead_.codes[slot][lane_] = static_cast<std::uint16_t>(element.code);
    ahead_.values[slot][lane_] = element.value;
    if (code_.is_jump(element.code) || code_.row_step(element.code) != 0) ends_ |= 1U << j;
    banks_ |= static_cast<unsigned long long>(element.code & bank_mask_) << 4 * j;
  }
  __device__ void bring_end(Index number) { ends_ |= 1U << static_cast<int>(number - step_); }

  /// Takes the element that this lane reads at the next step; to be called by the whole warp.
  __device__ CodedValue take() {
    const int slot = static_cast<int>(step_ % kReach);
    const bool jumps = code_.is_jump(ahead_.codes[slot][lane_]);
    const int count =
        __ffs(static_cast<int>(ends_ >> 1 | 1U << (kReach - 1)));  // number of candidates
    const int chosen = choose(count, jumps);
    if (chosen > 0) exchange(slot, chosen);
    const CodedValue element{ahead_.codes[slot][lane_], ahead_.values[slot][lane_]};
    ends_ >>= 1;
    banks_ >>= 4;
    ++step_;
    return element;
  }

 private:
  __device__ unsigned bank(int j) const { return static_cast<unsigned>(banks_ >> 4 * j) & 15U; }

  /// Equivalent to lanes choosing in turn the first free bank, if any, lanes without a choice
  /// first. All waiting lanes propose a bank; those before the first conflicting lane get theirs,
  /// and the rest repeat.
  __device__ int choose(int count, bool jumps) const {
    unsigned taken = count == 1 && !jumps ? 1U << bank(0) : 0;
    for (int distance = rotations_; distance < lanes_ * rotations_; distance *= 2)
      taken |= __shfl_xor_sync(kWholeWarp, taken, distance);
    const int last = first_ + (lanes_ - 1) * rotations_;
    int chosen = 0;
    for (bool waits = count > 1 && !jumps; __any_sync(kWholeWarp, waits);) {
      while (waits && chosen < count && (taken >> bank(chosen) & 1U) != 0) ++chosen;
      const unsigned mine = waits && chosen < count ? 1U << bank(chosen) : 0;
      const unsigned before = claimed_before(mine);
      const bool is_late = (before & mine) != 0;
      const unsigned late = __ballot_sync(kWholeWarp, is_late) & served_;
      const int end = late == 0 ? last : __ffs(static_cast<int>(late)) - 1;
      taken |= __shfl_sync(kWholeWarp, is_late ? before : before | mine, end);
      waits = waits && late != 0 && lane_ >= end;
    }
    return chosen < count ? chosen : 0;
  }

  /// Banks proposed by the preceding lanes that are served with this one.
  __device__ unsigned claimed_before(unsigned mine) const {
    unsigned all = 0;
    unsigned sum = mine;
    for (int distance = rotations_; distance < lanes_ * rotations_; distance *= 2) {
      const unsigned other = __shfl_up_sync(kWholeWarp, sum, distance);
      if (lane_ - distance >= first_) {
        all |= other;
        sum |= other;
      }
    }
    return all;
  }

  /// The step to the row stays with the position.
  __device__ void exchange(int slot, int j) {
    const int other = (slot + j) % kReach;
    std::uint16_t& a = ahead_.codes[slot][lane_];
    std::uint16_t& b = ahead_.codes[other][lane_];
    const unsigned both = (a ^ b) & code_.longest_jump();
    a = static_cast<std::uint16_t>(a ^ both);
    b = static_cast<std::uint16_t>(b ^ both);
    const double value = ahead_.values[slot][lane_];
    ahead_.values[slot][lane_] = ahead_.values[other][lane_];
    ahead_.values[other][lane_] = value;
    const unsigned long long differ = bank(0) ^ bank(j);
    banks_ ^= differ | differ << 4 * j;
  }

  LookAhead& ahead_;
  const TileCode code_;
  const int lane_ = lane_of_warp();
  const int rotations_;
  const unsigned bank_mask_;
  int first_;            // first of the lanes that are served at once, rotations_ apart
  int lanes_;            // number of lanes
  unsigned served_ = 0;  // bit mask of them
  Index step_ = 0;
  unsigned ends_ = 0;
  unsigned long long banks_ = 0;
};

/// Writes four elements of each lane.
__device__ inline void write_unit(TileUnit& unit, const CodedValue (&elements)[kUnitWidth]) {
  const int lane = lane_of_warp();
  for (int half = 0; half < 2; ++half)
    reinterpret_cast<double2*>(unit.values[half])[lane] = {elements[2 * half].value,
                                                           elements[2 * half + 1].value};
  reinterpret_cast<uint2*>(unit.codes)[lane] = {elements[0].code | elements[1].code << 16U,
                                                elements[2].code | elements[3].code << 16U};
}

/// Writes a unit of codes that were passed as values.
__device__ inline void write_unit(CodedUnit& unit, const CodedValue (&elements)[kUnitWidth]) {
  const auto both = [&](int k) {
    return elements[k].code | value_as_code(elements[k].value) << 16U;
  };
  reinterpret_cast<uint4*>(unit.elements)[lane_of_warp()] = {both(0), both(1), both(2), both(3)};
}

/// One warp per warp of a product and cell.
__global__ void __launch_bounds__(kLayoutWarps * 32, 7) lay_out(const LayoutView all) {
  __shared__ LookAhead ahead[kLayoutWarps];
  const Index stream = warp_in_grid();
  const Index number = stream / kTileWarps;
  if (number >= all.count) return;
  const KeptCell cell = all.cells[number];
  const Index units = cell.warp_units(static_cast<int>(stream % kTileWarps));
  if (units == 0) return;
  const Index steps = units * kUnitWidth;
  LaneSequence sequence(all, all.blocks[cell.block], cell, stream * kTileLanes + lane_of_warp());
  LaneOrder order(ahead[threadIdx.x / 32], all.code, all.vectors);
  const auto bring = [&](Index next) {
    if (next < steps)
      order.bring(next, sequence.next());
    else
      order.bring_end(next);
  };
  for (Index next = 0; next < kReach; ++next) bring(next);
  Index unit = all.first_units[stream];
  for (Index step = 0; step < steps; ++unit) {
    CodedValue elements[kUnitWidth];
#pragma unroll
    for (int k = 0; k < kUnitWidth; ++k) {
      elements[k] = order.take();
      bring(step++ + kReach);
    }
    if (all.coded_units == nullptr)
      write_unit(all.units[unit], elements);
    else
      write_unit(all.coded_units[unit], elements);
  }
}

}  // namespace cisolve::sparse::cuda
