#include "ci/fock/spaces/determinant_index.hpp"

#include <algorithm>
#include <numeric>

#include "base/loops.hpp"
#include "ci/fock/strings/string_sets.hpp"

namespace cisolve::ci {
namespace {

std::vector<ListChunk> parts_of(std::span<const Determinant> list, const base::Backend& host) {
  constexpr Index kRows = Index{1} << 17;  // determinants per part
  std::vector<ListChunk> parts((std::ssize(list) + kRows - 1) / kRows);
  base::for_each_chunk(std::ssize(list), kRows, host, [&](Index first, Index last) {
    ListChunk& part = parts[first / kRows];
    for (Index k = first; k < last; ++k) part.add(list[k]);
    part.reserve_in_budget(host);
  });
  return parts;
}

Index size_of(const std::vector<ListChunk>& parts) {
  const auto add = [](Index sum, const ListChunk& part) { return sum + part.size(); };
  return std::accumulate(parts.begin(), parts.end(), Index{0}, add);
}

/// Distinct strings of one spin in all parts; parts share most of them.
std::vector<String> all_strings(const std::vector<ListChunk>& parts,
                                StringDictionary ListChunk::*of, const base::Backend& host) {
  StringDictionary all;
  std::optional<base::Reservation> held;
  for (const ListChunk& part : parts) {
    for (const String& string : (part.*of).strings()) all.number_of(string);
    held.emplace(host.host_memory(), all.bytes(), "the strings of a list of determinants");
  }
  std::vector<String> strings = all.take_strings();
  sort_unique(strings);
  return strings;
}

}  // namespace

DeterminantIndex::DeterminantIndex(std::span<const Determinant> list, const base::Backend& host)
    : DeterminantIndex(parts_of(list, host), host) {}

DeterminantIndex::DeterminantIndex(std::vector<ListChunk> parts, const base::Backend& host)
    : entries_(host, size_of(parts), "the order of a list of determinants") {
  alphas_ = all_strings(parts, &ListChunk::alphas, host);
  betas_ = all_strings(parts, &ListChunk::betas, host);
  constexpr Index kPlaces = 2 * sizeof(Index);  // begins_ and its copy `next`
  held_.emplace(host.host_memory(),
                std::ssize(alphas_) * (Index{sizeof(String)} + kPlaces) +
                    std::ssize(betas_) * Index{sizeof(String)},
                "the strings of a list of determinants");
  base::for_each_chunk(std::ssize(parts), 1, host, [&](Index p, Index) {
    parts[p].alphas.renumber(alphas_);
    parts[p].betas.renumber(betas_);
  });
  deal(parts, host);
}

/// Counting sort by alpha string. Each thread scans all determinants for its range of alpha
/// strings, which keeps the order of the list without synchronisation.
void DeterminantIndex::deal(const std::vector<ListChunk>& parts, const base::Backend& host) {
  begins_.assign(alphas_.size() + 1, 0);
  for (const ListChunk& part : parts)
    for (const StringNumber alpha : part.alphas.of()) ++begins_[alpha + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  std::vector<Index> next(begins_.begin(), begins_.end() - 1);
  const Index pairs_in_chunk =
      std::max<Index>(1, (std::ssize(alphas_) + host.threads() - 1) / host.threads());
  base::for_each_chunk(std::ssize(alphas_), pairs_in_chunk, host, [&](Index first, Index last) {
    Index place = 0;
    for (const ListChunk& part : parts)
      for (Index i = 0; i < part.size(); ++i, ++place) {
        const StringNumber alpha = part.alphas.of()[i];
        if (first <= alpha && alpha < last) entries_[next[alpha]++] = {part.betas.of()[i], place};
      }
    for (Index a = first; a < last; ++a) {
      const auto own = entries_.span().subspan(begins_[a], begins_[a + 1] - begins_[a]);
      if (!std::ranges::is_sorted(own)) std::ranges::sort(own);
    }
  });
}

std::optional<std::pair<Index, Index>> DeterminantIndex::first_repeat() const {
  std::optional<std::pair<Index, Index>> found;
  for (Index a = 0; a < std::ssize(alphas_); ++a) {
    const auto own = of(a);
    for (std::size_t k = 1; k < own.size(); ++k)
      if (own[k - 1].beta == own[k].beta && (!found || own[k].place < found->first))
        found = {own[k].place, own[k - 1].place};
  }
  return found;
}

std::vector<Determinant> DeterminantIndex::determinants() const {
  std::vector<Determinant> list(size());
  for (Index a = 0; a < std::ssize(alphas_); ++a)
    for (const Entry& entry : of(a)) list[entry.place] = {alphas_[a], betas_[entry.beta]};
  return list;
}

}  // namespace cisolve::ci
