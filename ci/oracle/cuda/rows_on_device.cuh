#pragma once

#include <algorithm>
#include <bit>

#include "ci/fock/spaces/space.hpp"
#include "ci/oracle/cuda/determinant_table.cuh"
#include "ci/oracle/string_finder.hpp"

namespace cisolve::ci::cuda {

/// A StringFinder in device memory.
struct StringsOnDevice {
  StringsOnDevice(const base::Backend& device, const StringFinder& finder)
      : keys(finder.keys().to(device)),
        strings(finder.strings().to(device)),
        slots(finder.slots().to(device)) {}
  StringTable view() const {
    return {keys.data(), strings.data(), slots.data(),
            static_cast<std::uint64_t>(slots.size() - 1)};
  }
  Index bytes() const { return keys.bytes() + strings.bytes() + slots.bytes(); }

  base::Array<std::uint64_t> keys;
  base::Array<String> strings;
  base::Array<std::uint64_t> slots;
};

/// The tables of a DeterminantTable in device memory.
struct RowsOnDevice {
  RowsOnDevice(const base::Backend& device, const Space& space)
      : betas(std::ssize(space.strings(Spin::beta))),
        pairs(string_pairs(space, device)),
        first_row(first_rows(space).to(device)),
        list_of(lists_of(space).to(device)),
        positions(has_few_lists(space) ? positions_in(space).to(device)
                                       : base::Array<StringNumber>(device, 0, kMemoryLabel)),
        slots(device, has_few_lists(space) ? 0 : slots_for(space.dimension()), kMemoryLabel) {}

  Index bytes() const {
    return pairs.bytes() + first_row.bytes() + list_of.bytes() + positions.bytes() + slots.bytes();
  }

  Index betas;
  base::Array<DeterminantNumbers> pairs;
  base::Array<Index> first_row;
  base::Array<StringNumber> list_of;
  base::Array<StringNumber> positions;
  base::Array<unsigned long long> slots;

 private:
  static constexpr const char* kMemoryLabel = "the table of determinants";

  static Index slots_for(Index rows) {
    return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * rows)));
  }
  /// Whether a position table is no larger than the hash table.
  static bool has_few_lists(const Space& space) {
    return space.lists() <= 4 * space.dimension() / std::ssize(space.strings(Spin::beta));
  }
  static base::Array<DeterminantNumbers> string_pairs(const Space& space,
                                                      const base::Backend& device) {
    base::Array<DeterminantNumbers> pairs(space.host(), space.dimension(), kMemoryLabel);
    DeterminantNumbers* next = pairs.data();
    for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a)
      for (const StringNumber b : space.betas_of(a)) *next++ = {static_cast<StringNumber>(a), b};
    return pairs.to(device, kMemoryLabel);
  }
  static base::Array<Index> first_rows(const Space& space) {
    const Index alphas = std::ssize(space.strings(Spin::alpha));
    base::Array<Index> first(space.host(), alphas, kMemoryLabel);
    for (Index a = 0; a < alphas; ++a) first[a] = space.first_row(a);
    return first;
  }
  static base::Array<StringNumber> lists_of(const Space& space) {
    base::Array<StringNumber> lists(space.host(), std::ssize(space.strings(Spin::alpha)),
                                    kMemoryLabel);
    for (Index a = 0; a < lists.size(); ++a) lists[a] = space.list_of(a);
    return lists;
  }
  static base::Array<StringNumber> positions_in(const Space& space) {
    const Index betas = std::ssize(space.strings(Spin::beta));
    base::Array<StringNumber> positions(space.host(), space.lists() * betas, kMemoryLabel);
    std::ranges::fill(positions.span(), StringNumber{-1});
    for (Index list = 0; list < space.lists(); ++list) {
      StringNumber place = 0;
      for (const StringNumber beta : space.list(list)) positions[list * betas + beta] = place++;
    }
    return positions;
  }
};

}  // namespace cisolve::ci::cuda
