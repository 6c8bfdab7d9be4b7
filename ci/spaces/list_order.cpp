#include "ci/spaces/list_order.hpp"

#include <algorithm>
#include <bit>

#include "base/loops.hpp"
#include "base/random.hpp"
#include "ci/strings/string_sets.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kRowsOfChunk = Index{1} << 17;  // determinants

/// Numbers strings as they come.
class Numbering {
 public:
  Numbering() : slots_(64, kFree) {}

  StringNumber of(const String& string) {
    if (!strings_.empty() && string == strings_[last_]) return last_;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(string) & mask;
    while (slots_[slot] != kFree && strings_[slots_[slot]] != string) slot = (slot + 1) & mask;
    if (slots_[slot] == kFree) add(string, slot);
    return last_ = slots_[slot];
  }
  const std::vector<String>& strings() const { return strings_; }

 private:
  static constexpr StringNumber kFree = -1;

  static std::size_t hash(const String& string) {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : string.words()) sum = base::mix(sum ^ word);
    return sum;
  }

  void add(const String& string, std::size_t& slot) {
    slots_[slot] = static_cast<StringNumber>(strings_.size());
    strings_.push_back(string);
    if (2 * strings_.size() <= slots_.size()) return;
    slots_.assign(2 * slots_.size(), kFree);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      slot = hash(strings_[i]) & mask;
      while (slots_[slot] != kFree) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<StringNumber>(i);
    }
  }

  std::vector<String> strings_;
  std::vector<StringNumber> slots_;  // a power of two, at most half of them taken
  StringNumber last_ = 0;
};

/// The strings of one spin in some of the determinants, and which of them each has.
struct Numbered {
  std::vector<String> strings;
  std::vector<StringNumber> of;

  /// From numbers among `strings` to numbers among all of them, ascending.
  void renumber(const std::vector<String>& all) {
    std::vector<StringNumber> number(strings.size());
    for (std::size_t i = 0; i < strings.size(); ++i)
      number[i] =
          static_cast<StringNumber>(std::ranges::lower_bound(all, strings[i]) - all.begin());
    for (StringNumber& one : of) one = number[one];
  }
};

Numbered numbered(std::span<const Determinant> list, Spin spin) {
  Numbering numbering;
  Numbered result;
  for (const Determinant& determinant : list) result.of.push_back(numbering.of(determinant[spin]));
  result.strings = numbering.strings();
  return result;
}

std::vector<String> all_strings(const std::vector<Numbered>& chunks) {
  std::vector<String> all;
  for (const Numbered& chunk : chunks)
    all.insert(all.end(), chunk.strings.begin(), chunk.strings.end());
  sort_unique(all);
  return all;
}

/// Once as they were found, and once together.
Index bytes_of_strings(const std::vector<Numbered>& chunks) {
  Index strings = 0;
  for (const Numbered& chunk : chunks) strings += std::ssize(chunk.strings);
  return strings * Index{2 * sizeof(String)};
}

Index count_chunks(Index size) { return (size + kRowsOfChunk - 1) / kRowsOfChunk; }

}  // namespace

ListOrder::ListOrder(std::span<const Determinant> list, const base::Backend& host)
    : held_(host.host_memory(), std::ssize(list) * Index{sizeof(Entry) + 2 * sizeof(StringNumber)},
            "the order of a list of determinants"),
      entries_(list.size()) {
  const Index chunks = count_chunks(std::ssize(list));
  std::vector<Numbered> alphas(chunks);
  std::vector<Numbered> betas(chunks);
  base::for_each_chunk(chunks, 1, host, [&](Index c, Index) {
    const auto part =
        list.subspan(c * kRowsOfChunk, std::min(kRowsOfChunk, std::ssize(list) - c * kRowsOfChunk));
    alphas[c] = numbered(part, Spin::alpha);
    betas[c] = numbered(part, Spin::beta);
  });
  const base::Reservation strings(host.host_memory(),
                                  bytes_of_strings(alphas) + bytes_of_strings(betas),
                                  "the strings of a list of determinants");
  alphas_ = all_strings(alphas);
  betas_ = all_strings(betas);
  base::for_each_chunk(chunks, 1, host, [&](Index c, Index) {
    alphas[c].renumber(alphas_);
    betas[c].renumber(betas_);
  });

  begins_.assign(alphas_.size() + 1, 0);
  for (const Numbered& chunk : alphas)
    for (const StringNumber alpha : chunk.of) ++begins_[alpha + 1];
  for (std::size_t a = 1; a < begins_.size(); ++a) begins_[a] += begins_[a - 1];
  std::vector<Index> next(begins_.begin(), begins_.end() - 1);
  Index place = 0;
  for (Index c = 0; c < chunks; ++c)
    for (std::size_t i = 0; i < alphas[c].of.size(); ++i, ++place)
      entries_[next[alphas[c].of[i]]++] = {betas[c].of[i], place};
  base::for_each_chunk(std::ssize(alphas_), 16, host, [&](Index first, Index last) {
    for (Index a = first; a < last; ++a) {
      const auto own = std::span(entries_).subspan(begins_[a], begins_[a + 1] - begins_[a]);
      if (!std::ranges::is_sorted(own)) std::ranges::sort(own);
    }
  });
}

std::optional<std::pair<Index, Index>> ListOrder::first_repeat() const {
  std::optional<std::pair<Index, Index>> found;
  for (Index a = 0; a < std::ssize(alphas_); ++a) {
    const auto own = of(a);
    for (std::size_t k = 1; k < own.size(); ++k)
      if (own[k - 1].beta == own[k].beta && (!found || own[k].place < found->first))
        found = {own[k].place, own[k - 1].place};
  }
  return found;
}

}  // namespace cisolve::ci
