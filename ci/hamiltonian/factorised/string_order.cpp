#include "ci/hamiltonian/factorised/string_order.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/loops.hpp"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

namespace cisolve::ci {
namespace {

using View = SameSpinTilesView;

constexpr Index kBandsOfSample = 64;
constexpr int kFewestOrbitals = 4;  // orbitals on either side of a cut

/// First row of each row's connected component (union-find).
std::vector<Index> parts_of(const SameSpinPattern& pattern) {
  std::vector<Index> part(pattern.rows());
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](Index i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  Index parts = pattern.rows();
  for (Index i = 0; i < pattern.rows() && parts > 1; ++i)  // usually a few rows connect all
    for (const Column column : pattern.of(i)) {
      const Index a = root(i);
      const Index b = root(column);
      if (a == b) continue;
      part[std::max(a, b)] = std::min(a, b);
      --parts;
    }
  for (Index i = 0; i < pattern.rows(); ++i) part[i] = root(i);
  return part;
}

/// Revolving-door order of strings of equal length, electrons descending: negative if a comes
/// first.
int compare_by_door(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return (a[i] < b[i]) == (i % 2 == 0) ? -1 : 1;
  return 0;
}

/// Positions of the strings' electrons in an order of the orbitals, cut after the first `low`.
class CutStrings {
 public:
  CutStrings(const StringOrbitals& strings, std::span<const int> order, int low)
      : electrons_(strings.electrons), places_(strings.occupied.size() * strings.electrons) {
    std::vector<std::uint8_t> place_of(strings.orbitals);
    for (std::size_t i = 0; i < order.size(); ++i)
      place_of[order[i]] = static_cast<std::uint8_t>(i);
    for (std::size_t s = 0; s < strings.occupied.size(); ++s) {
      const std::span places(places_.data() + static_cast<Index>(s) * electrons_,
                             strings.electrons);
      for (int i = 0; i < strings.electrons; ++i) places[i] = place_of[strings.occupied[s][i]];
      std::ranges::sort(places, std::ranges::greater{});
      highs_.push_back(std::ranges::count_if(places, [&](int place) { return place >= low; }));
    }
  }

  /// Rows by connected component, then in the order that string_order() describes.
  std::vector<Index> sorted(std::span<const Index> parts) const {
    std::vector<Index> rows(parts.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::ranges::sort(rows, [&](Index a, Index b) { return compare_high(parts, a, b) < 0; });
    bool forth = false;
    for (auto begin = rows.begin(); begin != rows.end();) {
      const auto end = std::find_if(
          begin, rows.end(), [&](Index row) { return compare_high(parts, *begin, row) != 0; });
      forth = !forth;
      std::sort(begin, end, [&](Index a, Index b) {
        return (forth ? compare_by_door(low(a), low(b)) : compare_by_door(low(b), low(a))) < 0;
      });
      begin = end;
    }
    return rows;
  }

 private:
  int compare_high(std::span<const Index> parts, Index a, Index b) const {
    const auto of = [&](Index row) { return std::tuple(parts[row], highs_[row]); };
    if (of(a) != of(b)) return of(a) < of(b) ? -1 : 1;
    return compare_by_door(high(a), high(b));
  }
  std::span<const std::uint8_t> high(Index row) const {
    return {places_.data() + row * electrons_, static_cast<std::size_t>(highs_[row])};
  }
  std::span<const std::uint8_t> low(Index row) const {
    return {places_.data() + row * electrons_ + highs_[row],
            static_cast<std::size_t>(electrons_ - highs_[row])};
  }

  Index electrons_;
  std::vector<std::uint8_t> places_;
  std::vector<Index> highs_;  // high electrons of each string
};

/// Number of tiles in a sample of evenly spaced bands.
Index tiles_of_sample(const SameSpinPattern& pattern, std::span<const Index> rows) {
  std::vector<Column> places(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i]] = static_cast<Column>(i);
  const Index count = std::ssize(rows);
  const Index bands = (count + View::kBandRows - 1) / View::kBandRows;
  const Index taken = std::min(bands, kBandsOfSample);
  std::vector<Index> seen_by(count / View::kTileColumns + 1, -1);
  Index tiles = 0;
  for (Index i = 0; i < taken; ++i) {
    const Index begin = bands * i / taken * View::kBandRows;
    for (Index row = begin; row < std::min(begin + View::kBandRows, count); ++row)
      for (const Column column : pattern.of(rows[row])) {
        Index& seen = seen_by[places[column] / View::kTileColumns];
        if (std::exchange(seen, row / View::kTileRows) != row / View::kTileRows) ++tiles;
      }
  }
  return tiles;
}

/// The orbitals, one group after the other.
std::vector<int> by_groups(const StringOrbitals& strings) {
  std::vector<int> order(strings.orbitals);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int p) { return strings.groups[p]; });
  return order;
}

/// Numbers of low orbitals to try: half of all, two less, the group borders next to the middle, and
/// eight, whose low parts often fill tiles (the best cut for Fe2S2 with twenty orbitals).
std::set<int> cuts_of(const StringOrbitals& strings, std::span<const int> order) {
  constexpr int kEight = 8;
  const int half = strings.orbitals / 2;
  std::set<int> cuts = {kEight, half, half - 2};
  int below = 0;
  int above = strings.orbitals;
  for (int i = 1; i < strings.orbitals; ++i)
    if (strings.groups[order[i]] != strings.groups[order[i - 1]])
      (i <= half ? below : above) = i <= half ? i : std::min(above, i);
  cuts.insert({below, above});
  std::erase_if(cuts, [&](int cut) {
    return cut < kFewestOrbitals || cut > strings.orbitals - kFewestOrbitals;
  });
  return cuts;
}

}  // namespace

std::vector<Index> string_order(const SameSpinPattern& pattern, const StringOrbitals& strings,
                                const base::Backend& host) {
  const std::vector<Index> parts = parts_of(pattern);
  const std::vector<int> order = by_groups(strings);
  const std::set<int> cuts = cuts_of(strings, order);
  std::vector<std::vector<Index>> orders(1, std::vector<Index>(pattern.rows()));
  std::iota(orders[0].begin(), orders[0].end(), 0);
  std::ranges::stable_sort(orders[0], {}, [&](Index row) { return parts[row]; });
  orders.resize(cuts.size() + 1);
  std::vector<Index> tiles(orders.size());
  base::for_each_chunk(std::ssize(orders), 1, host, [&](Index i, Index) {
    if (i > 0)
      orders[i] = CutStrings(strings, order, *std::next(cuts.begin(), i - 1)).sorted(parts);
    tiles[i] = tiles_of_sample(pattern, orders[i]);
  });
  return std::move(orders[std::ranges::min_element(tiles) - tiles.begin()]);
}

}  // namespace cisolve::ci
