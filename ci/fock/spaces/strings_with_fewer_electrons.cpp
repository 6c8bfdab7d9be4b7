#include "ci/fock/spaces/strings_with_fewer_electrons.hpp"

#include <atomic>
#include <tuple>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kInBucket = 16;  // least mean number of entries
constexpr Index kBucketsAtOnce = 64;

}  // namespace

StringsWithFewerElectrons::StringsWithFewerElectrons(const Space& space, Spin spin, int removed)
    : space_(space),
      spin_(spin),
      removed_(removed),
      entries_(space.host(), 0, kMemoryLabel),
      begins_(space.host(), 0, kMemoryLabel) {
  const Index strings = std::ssize(space.strings(spin));
  const Index n = space.electrons(spin);
  const Index size = strings * (removed == 1 ? n : n * (n - 1) / 2);
  const auto bits = std::bit_width(static_cast<std::uint64_t>(size / kInBucket));
  shift_ = 64 - std::max(1, static_cast<int>(bits));
  entries_ = base::Array<Entry>(space.host(), size, kMemoryLabel);
  begins_ = base::Array<Index>(space.host(), (Index{1} << (64 - shift_)) + 1, kMemoryLabel);
  // Two residues rarely have the same key by chance; other keys then separate them.
  for (std::uint64_t attempt = 0; attempt == 0 || !sort(); ++attempt) {
    for (int p = 0; p < kMostOrbitals; ++p) orbital_key_[p] = base::mix(attempt, p);
    fill();
  }
}

/// Puts the entries into their buckets, in any order within each.
void StringsWithFewerElectrons::fill() {
  const auto for_each_entry = [&](auto&& take) {
    for (Index s = 0; s < std::ssize(space_.strings(spin_)); ++s)
      for_each_choice(s, [&](const MovedOrbitals& taken, std::uint64_t key) {
        take(Entry{key, static_cast<Column>(s), taken});
      });
  };
  std::ranges::fill(begins_.span(), Index{0});
  for_each_entry([&](const Entry& entry) { ++begins_[bucket_of(entry.key) + 1]; });
  for (Index bucket = 1; bucket < begins_.size(); ++bucket) begins_[bucket] += begins_[bucket - 1];
  std::vector<Index> next(begins_.span().begin(), begins_.span().end());
  for_each_entry([&](const Entry& entry) { entries_[next[bucket_of(entry.key)]++] = entry; });
}

/// Sorts each bucket. Returns false if two different residues have the same key.
bool StringsWithFewerElectrons::sort() {
  const auto strings = space_.strings(spin_);
  const auto residue = [&](const Entry& entry) {
    return strings[entry.string].without(entry.taken.first).without(entry.taken.second);
  };
  std::atomic<bool> are_unique = true;
  base::for_each_chunk(
      begins_.size() - 1, kBucketsAtOnce, space_.host(), [&](Index first, Index last) {
        const auto here = entries_.span().subspan(begins_[first], begins_[last] - begins_[first]);
        std::ranges::sort(here, [](const Entry& a, const Entry& b) {
          return std::tie(a.key, a.string) < std::tie(b.key, b.string);
        });
        const auto differ = [&](const Entry& a, const Entry& b) {
          return a.key == b.key && residue(a) != residue(b);
        };
        if (std::ranges::adjacent_find(here, differ) != here.end()) are_unique = false;
      });
  return are_unique;
}

}  // namespace cisolve::ci
