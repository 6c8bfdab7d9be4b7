#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/backend.hpp"
#include "base/loops.hpp"
#include "base/types.hpp"

// Sets as ascending ranges, on all threads of the host. Equal values are the same in all their
// bits, so that no result depends on the number of threads.
namespace cisolve::ci {

using base::Index;

/// How many of the first `count` values of the merged order of two ascending ranges come from `a`;
/// of equal values those of `a` come first. ("merge path")
template <class T>
Index merged_from_first(std::span<const T> a, std::span<const T> b, Index count) {
  Index low = std::max<Index>(0, count - std::ssize(b));
  Index high = std::min<Index>(count, std::ssize(a));
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (b[count - middle - 1] < a[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Sorts `items`; `scratch` is of the same size and is overwritten.
template <class T>
void sort_on_threads(std::span<T> items, std::span<T> scratch, const base::Backend& host) {
  constexpr Index kSerial = 1 << 14;  // values that one thread sorts
  const Index size = std::ssize(items);
  if (size <= kSerial || host.threads() == 1) {
    std::ranges::sort(items);
    return;
  }
  Index runs = 1;
  while (runs < host.threads() && size / (2 * runs) >= kSerial / 2) runs *= 2;
  const auto begin_of = [size](Index run, Index of) {
    return size / of * run + size % of * run / of;
  };
  base::for_each_chunk(runs, 1, host, [&](Index run, Index) {
    std::sort(items.data() + begin_of(run, runs), items.data() + begin_of(run + 1, runs));
  });
  std::span<T> from = items;
  std::span<T> to = scratch;
  const Index parts = 4 * host.threads();  // parts of each merge
  for (Index merged = runs / 2; merged >= 1; merged /= 2, std::swap(from, to)) {
    base::for_each_chunk(merged * parts, 1, host, [&](Index job, Index) {
      const Index run = job / parts;
      const Index begin = begin_of(2 * run, 2 * merged);
      const Index middle = begin_of(2 * run + 1, 2 * merged);
      const Index end = begin_of(2 * run + 2, 2 * merged);
      const std::span<const T> a(from.data() + begin, static_cast<std::size_t>(middle - begin));
      const std::span<const T> b(from.data() + middle, static_cast<std::size_t>(end - middle));
      const auto cut = [&](Index part) {
        return (end - begin) / parts * part + (end - begin) % parts * part / parts;
      };
      const Index first = cut(job % parts);
      const Index last = cut(job % parts + 1);
      const Index a_first = merged_from_first(a, b, first);
      const Index a_last = merged_from_first(a, b, last);
      std::merge(a.begin() + a_first, a.begin() + a_last, b.begin() + (first - a_first),
                 b.begin() + (last - a_last), to.data() + begin + first);
    });
  }
  if (from.data() != items.data()) std::ranges::copy(from, items.begin());
}

/// Sorts on one thread by bytes, the last ones of the order first (radix sort). `words(item, w)`
/// are `count` words of an item, which are ordered by word count - 1, then count - 2 and so on;
/// `scratch` has room for as many items and is overwritten. Bytes that are the same in all items
/// cost nothing.
template <class T, class Words>
void sort_by_bytes(std::span<T> items, std::span<T> scratch, int count, Words&& words) {
  constexpr int kValues = 256;
  std::span<T> from = items;
  std::span<T> to = scratch.first(items.size());
  for (int w = 0; w < count && !items.empty(); ++w) {
    std::uint64_t varying = 0;
    for (const T& item : from) varying |= words(item, w) ^ words(from[0], w);
    for (int shift = 0; shift < 64; shift += 8) {
      if ((varying >> shift & 255) == 0) continue;
      std::array<std::uint32_t, kValues> next{};
      for (const T& item : from) ++next[words(item, w) >> shift & 255];
      std::uint32_t begin = 0;
      for (std::uint32_t& place : next) begin += std::exchange(place, begin);
      for (const T& item : from) to[next[words(item, w) >> shift & 255]++] = item;
      std::swap(from, to);
    }
  }
  if (from.data() != items.data()) std::ranges::copy(from, items.begin());
}

/// Removes from an ascending range, in place, repeats and what is in another ascending range.
/// Returns how many are left at its beginning.
template <class T>
Index keep_new(std::span<T> items, std::span<const T> known) {
  auto kept = items.begin();
  auto next = known.begin();
  for (const T& item : items) {
    if (kept != items.begin() && *(kept - 1) == item) continue;
    // Galloping: `known` may be much the longer of the two, or much the shorter.
    std::ptrdiff_t step = 1;
    auto low = next;
    while (known.end() - low > step && low[step] < item) {
      low += step;
      step *= 2;
    }
    next = std::lower_bound(low, low + std::min<std::ptrdiff_t>(step + 1, known.end() - low), item);
    if (next != known.end() && *next == item) continue;
    *kept++ = item;
  }
  return kept - items.begin();
}

}  // namespace cisolve::ci
