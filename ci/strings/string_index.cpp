#include "ci/strings/string_index.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"

namespace cisolve::ci {
namespace {

Index slot_of(const String& string, Index mask) {
  std::uint64_t sum = 0;
  std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
  for (const std::uint64_t word : string.words()) sum = std::rotl(sum, 23) + word * (factor += 2);
  return static_cast<Index>(base::mix(sum)) & mask;
}

}  // namespace

StringIndex::StringIndex(std::span<const String> strings, const base::Backend& host)
    : strings_(base::Array<String>::copy_of(strings, host, "the strings")),
      slots_(host, static_cast<Index>(std::bit_ceil(2 * strings.size())),
             "the table of the strings") {
  std::ranges::fill(slots_.span(), StringNumber{-1});
  const Index mask = slots_.size() - 1;
  for (Index i = 0; i < strings_.size(); ++i) {
    Index slot = slot_of(strings_[i], mask);
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<StringNumber>(i);
  }
}

StringNumber StringIndex::find(const String& string) const {
  const Index mask = slots_.size() - 1;
  for (Index slot = slot_of(string, mask); slots_[slot] >= 0; slot = (slot + 1) & mask)
    if (strings_[slots_[slot]] == string) return slots_[slot];
  return -1;
}

}  // namespace cisolve::ci
