#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/types.hpp"
#include "ci/selected/packed_determinant.hpp"

namespace cisolve::ci {

using base::Index;

/// Sums of a few numbers for each of many beta strings, in the order in which the strings were
/// first named. A hash table that one thread fills: what is added to a string is added in the order
/// of the calls, so the sums have the same bits each time. It is empty again at no cost, and as
/// small as what it holds, since most alpha strings have few determinants.
template <int W>
class ExternalSums {
 public:
  /// `states` numbers for each of at most `most` strings.
  ExternalSums(int states, Index most) : states_(states), most_(most), slots_(kFewestSlots) {}

  /// Memory of `most` strings, at most.
  static Index bytes(int states, Index most) {
    return most * (4 * Index{sizeof(Slot)} + 2 * 8 * Index{W + states}) +
           kFewestSlots * Index{sizeof(Slot)};
  }

  /// Begins anew, for strings whose hash is `part` modulo `parts`, a power of two; others are
  /// passed over.
  void clear(std::uint64_t parts, std::uint64_t part) {
    count_ = 0;
    part_mask_ = parts - 1;
    part_ = part;
    is_full_ = false;
    set_slots(kFewestSlots);
  }

  Index size() const { return count_; }
  /// Whether there were more strings than `most`; some are missing then.
  bool is_full() const { return is_full_; }
  OrbitalBits<W> beta(Index entry) const {
    OrbitalBits<W> bits;
    for (int w = 0; w < W; ++w) bits.words[w] = entries_[entry * stride() + w];
    return bits;
  }
  double sum(Index entry, int state) const {
    return std::bit_cast<double>(entries_[entry * stride() + W + state]);
  }

  /// The number of a string's sums, which are 0 at first; -1 if it is skipped or does not fit.
  Index find_or_add(const OrbitalBits<W>& beta) {
    const std::uint64_t hash = hash_of(beta);
    if ((hash & part_mask_) != part_) return -1;
    for (std::uint64_t place = hash >> shift_;; ++place) {
      Slot& slot = slots_[place & slot_mask_];
      if (slot.stamp != stamp_) return add(beta, slot);
      if (has(slot.entry, beta)) return slot.entry;
    }
  }
  /// The number of a string's sums, or -1.
  Index find(const OrbitalBits<W>& beta) const {
    for (std::uint64_t place = hash_of(beta) >> shift_;; ++place) {
      const Slot& slot = slots_[place & slot_mask_];
      if (slot.stamp != stamp_) return -1;
      if (has(slot.entry, beta)) return slot.entry;
    }
  }
  /// Adds factor x values[state] to each sum.
  void add_to(Index entry, double factor, const double* values) {
    std::uint64_t* const sums = entries_.data() + entry * stride() + W;
    for (int s = 0; s < states_; ++s)
      sums[s] = std::bit_cast<std::uint64_t>(std::bit_cast<double>(sums[s]) + factor * values[s]);
  }

 private:
  struct Slot {
    std::uint32_t stamp = 0;  // the slot is in use if it is the table's stamp
    std::uint32_t entry = 0;
  };
  static constexpr Index kFewestSlots = 64;

  Index stride() const { return W + states_; }

  static std::uint64_t hash_of(const OrbitalBits<W>& beta) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : beta.words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 29;
    }
    hash *= 0xBF58476D1CE4E5B9;
    return hash ^ hash >> 32;  // places are high bits, parts low ones
  }

  bool has(std::uint32_t entry, const OrbitalBits<W>& beta) const {
    return std::memcmp(entries_.data() + entry * stride(), beta.words.data(), sizeof(beta)) == 0;
  }

  Index add(const OrbitalBits<W>& beta, Slot& slot) {
    if (count_ == most_) {
      is_full_ = true;
      return -1;
    }
    slot = {stamp_, static_cast<std::uint32_t>(count_)};
    const Index end = count_ * stride();
    if (end + stride() > std::ssize(entries_))
      entries_.resize(static_cast<std::size_t>(2 * (end + stride())));
    std::ranges::copy(beta.words, entries_.begin() + end);
    std::fill_n(entries_.begin() + end + W, states_, 0);
    if (++count_ * 2 > static_cast<Index>(slot_mask_)) grow();
    return count_ - 1;
  }

  void set_slots(Index count) {
    if (count > std::ssize(slots_)) {
      slots_.assign(static_cast<std::size_t>(count), {});
      stamp_ = 0;
    }
    if (++stamp_ == 0) {
      std::ranges::fill(slots_, Slot());
      stamp_ = 1;
    }
    slot_mask_ = static_cast<std::uint64_t>(count) - 1;
    shift_ = 64 - std::countr_zero(static_cast<std::uint64_t>(count));
  }

  void grow() {
    set_slots(2 * static_cast<Index>(slot_mask_ + 1));
    for (Index entry = 0; entry < count_; ++entry) {
      std::uint64_t place = hash_of(beta(entry)) >> shift_;
      while (slots_[place & slot_mask_].stamp == stamp_) ++place;
      slots_[place & slot_mask_] = {stamp_, static_cast<std::uint32_t>(entry)};
    }
  }

  int states_;
  Index most_;
  Index count_ = 0;
  bool is_full_ = false;
  std::uint64_t part_mask_ = 0;
  std::uint64_t part_ = 0;
  std::uint32_t stamp_ = 0;
  std::uint64_t slot_mask_ = 0;
  int shift_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> entries_;  // W words of the string, then the sums
};

}  // namespace cisolve::ci
