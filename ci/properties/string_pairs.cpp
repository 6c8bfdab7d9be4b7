#include "ci/properties/string_pairs.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "ci/properties/excitation_sign.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kStringsAtOnce = 16;
constexpr Index kMostStrings = 4096;          // strings in a batch
constexpr Index kMostPairs = Index{1} << 22;  // pairs in a batch, unless one string has more
/// Includes a copy.
constexpr Index kPairBytes = 2 * Index{sizeof(StringPair)} + Index{sizeof(double)};
constexpr const char* kPairsOfStrings = "the pairs of strings";

}  // namespace

StringPairs::StringPairs(const Space& space, Spin spin, int most_moved)
    : space_(space), spin_(spin), one_fewer_(space, spin, 1) {
  if (most_moved == 2) two_fewer_.emplace(space, spin, 2);
  most_of_string_ = most_partners();
}

// The string itself, and all that differ from it.
Index StringPairs::most_partners() const {
  const Index electrons = space_.electrons(spin_);
  const Index empty = space_.orbitals() - electrons;
  const Index singles = electrons * empty;
  const Index doubles =
      two_fewer_ ? (electrons * (electrons - 1) / 2) * (empty * (empty - 1) / 2) : 0;
  return std::min<Index>(1 + singles + doubles, std::ssize(space_.strings(spin_)));
}

// The number of strings that fit into a fraction of the memory left.
Index StringPairs::strings_at_once() const {
  const Index pairs = std::min(kMostPairs, space_.host().memory().left() / 4 / kPairBytes);
  return std::clamp<Index>(pairs / most_of_string_, 1, kMostStrings);
}

void StringPairs::for_each_batch(const std::function<void(const PairBatch&)>& take) const {
  const Index strings = std::ssize(space_.strings(spin_));
  for (const PairBatch& batch : kept_) take(batch);
  if (!kept_.empty()) return;
  const Index all = strings * most_of_string_ * Index{sizeof(StringPair)};
  const bool keeps = all <= space_.host().memory().left() / 32;
  const Index at_once = strings_at_once();
  base::Array<StringPair> workspace(space_.host(), std::min(at_once, strings) * most_of_string_,
                                    kPairsOfStrings);
  std::vector<PairBatch> found;
  for (Index first = 0; first < strings; first += at_once) {
    PairBatch batch = find(first, std::min(at_once, strings - first), workspace);
    take(batch);
    if (keeps) found.push_back(std::move(batch));
  }
  kept_ = std::move(found);
}

/// `workspace`: workspace for the most partners of each string.
PairBatch StringPairs::find(Index first_string, Index count,
                            base::Array<StringPair>& workspace) const {
  const base::Backend& host = space_.host();
  PairBatch batch{first_string, base::Array<Index>(host, count + 1, kPairsOfStrings),
                  base::Array<StringPair>(host, 0, kPairsOfStrings)};
  base::for_each_chunk(count, kStringsAtOnce, host, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      batch.offsets[i + 1] = write_pairs(first_string + i, workspace.data() + i * most_of_string_);
  });
  batch.offsets[0] = 0;
  for (Index i = 0; i < count; ++i) batch.offsets[i + 1] += batch.offsets[i];
  batch.pairs = base::Array<StringPair>(host, batch.offsets[count], kPairsOfStrings);
  base::for_each_chunk(count, kStringsAtOnce, host, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      std::copy_n(workspace.data() + i * most_of_string_, batch.offsets[i + 1] - batch.offsets[i],
                  batch.pairs.data() + batch.offsets[i]);
  });
  return batch;
}

Index StringPairs::write_pairs(Index string, StringPair* to) const {
  StringPair* next = to;
  const auto add = [&](Index target, int moved, bool odd, const MovedOrbitals& from,
                       const MovedOrbitals& where) {
    *next++ = {static_cast<StringNumber>(string),
               static_cast<StringNumber>(target),
               from,
               where,
               static_cast<std::int8_t>(moved),
               odd};
  };
  const String& start = space_.strings(spin_)[string];
  const Index least_target = two_fewer_ ? string : 0;
  add(string, 0, false, MovedOrbitals{}, MovedOrbitals{});
  one_fewer_.for_each_partner(
      string, [&](Index target, const MovedOrbitals& from, const MovedOrbitals& where) {
        if (target >= least_target)
          add(target, 1, excitation_changes_sign(start, from.first, where.first), from, where);
      });
  if (!two_fewer_) return next - to;
  two_fewer_->for_each_partner(
      string, [&](Index target, const MovedOrbitals& from, const MovedOrbitals& where) {
        if (target < string) return;
        const String between = start.without(from.first).with(where.first);
        add(target, 2,
            excitation_changes_sign(start, from.first, where.first) !=
                excitation_changes_sign(between, from.second, where.second),
            from, where);
      });
  return next - to;
}

}  // namespace cisolve::ci
