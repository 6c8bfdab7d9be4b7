#include "ci/hamiltonian/on_the_fly/excitation_slices.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

/// Rows of a table that have excitations, longest first, and the lengths of its slices.
struct Sorted {
  std::vector<std::uint16_t> rows;
  std::vector<Index> depths;
  Index moves = 0;

  Sorted() = default;
  Sorted(Index table, const ExcitationSlices::Rows& range,
         const ExcitationSlices::Moves& moves_of) {
    std::vector<Index> lengths(range.end - range.begin);
    for (Index row = range.begin; row < range.end; ++row)
      moves_of(table, row, [&](const ExcitationSlices::Entry&) { ++lengths[row - range.begin]; });
    const auto length = [&](std::uint16_t row) { return lengths[row - range.begin]; };
    for (Index row = range.begin; row < range.end; ++row)
      if (lengths[row - range.begin] > 0) rows.push_back(static_cast<std::uint16_t>(row));
    std::ranges::stable_sort(rows, std::ranges::greater{}, length);
    for (std::size_t i = 0; i < rows.size(); i += kSliceRows) depths.push_back(length(rows[i]));
    moves = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  }
};

/// Counts shared-memory bank conflicts within one step of a slice, for positions and for pairs: 16
/// lanes are served at once for 8-byte reads, eight for 16-byte reads.
class Banks {
 public:
  int cost(int lane, PackedExcitation move) const {
    const int group = lane / 16;
    const unsigned bank = move.pair() % 16;
    const bool is_shared = pair_in_[group][bank] == move.pair();
    return single_[group][move.place() % 16] + pair_of_[lane / 8][move.place() % 8] +
           (is_shared ? 0 : pairs_[group][bank]);
  }
  void add(int lane, PackedExcitation move) {
    const int group = lane / 16;
    const unsigned bank = move.pair() % 16;
    ++single_[group][move.place() % 16];
    ++pair_of_[lane / 8][move.place() % 8];
    if (pair_in_[group][bank] != move.pair()) ++pairs_[group][bank];
    pair_in_[group][bank] = move.pair();
  }

 private:
  static constexpr unsigned kNoPair = ~0U;
  static constexpr auto none = [] {
    std::array<std::array<unsigned, 16>, 2> all{};
    for (auto& group : all) group.fill(kNoPair);
    return all;
  };
  std::array<std::array<int, 16>, 2> single_{};
  std::array<std::array<int, 8>, 4> pair_of_{};
  std::array<std::array<int, 16>, 2> pairs_{};
  std::array<std::array<unsigned, 16>, 2> pair_in_ = none();
};

Index count_slices(std::span<const Sorted> tables) {
  Index count = 0;
  for (const Sorted& table : tables) count += std::ssize(table.depths);
  return count;
}

}  // namespace

ExcitationSlices::ExcitationSlices(std::span<const Rows> tables, bool has_values,
                                   const Moves& moves, const base::Backend& host)
    : first_(host, std::ssize(tables) + 1, "the tables of excitations"),
      begins_(host, 0, "the excitation slices"),
      rows_(host, 0, "the rows of excitation slices"),
      moves_(host, 0, "the excitations of strings"),
      values_(host, 0, "the values of excitations"),
      counts_(tables.size()) {
  const Index count = std::ssize(tables);
  std::vector<Sorted> sorted(tables.size());
  base::for_each_chunk(count, 1, host, [&](Index begin, Index end) {
    for (Index table = begin; table < end; ++table) sorted[table] = {table, tables[table], moves};
  });
  begins_ = base::Array<Index>(host, count_slices(sorted) + 1, "the excitation slices");
  Index slice = 0;
  begins_[0] = 0;
  for (Index table = 0; table < count; ++table) {
    first_[table] = slice;
    for (const Index depth : sorted[table].depths) {
      begins_[slice + 1] = begins_[slice] + kSliceRows * depth;
      ++slice;
    }
    counts_[table] = sorted[table].moves;
    count_ += sorted[table].moves;
  }
  first_[count] = slice;
  rows_ = base::Array<std::uint16_t>(host, kSliceRows * slice, "the rows of excitation slices");
  moves_ = base::Array<PackedExcitation>(host, begins_[slice], "the excitations of strings");
  if (has_values) values_ = base::Array<double>(host, begins_[slice], "the values of excitations");
  std::ranges::fill(rows_.span(), ExcitationSlicesView::kNoRow);
  std::ranges::fill(moves_.span(), PackedExcitation{});
  std::ranges::fill(values_.span(), 0);
  base::for_each_chunk(count, 1, host, [&](Index begin, Index end) {
    for (Index table = begin; table < end; ++table)
      for (std::size_t i = 0; i < sorted[table].rows.size(); ++i) {
        const Index number = static_cast<Index>(i);
        rows_[kSliceRows * first_[table] + number] = sorted[table].rows[i];
        Index next = begins_[first_[table] + number / kSliceRows] + number % kSliceRows;
        moves(table, sorted[table].rows[i], [&](const Entry& move) {
          moves_[next] = move.move;
          if (has_values) values_[next] = move.value;
          next += kSliceRows;
        });
      }
  });
  base::for_each_chunk(slice, 16, host, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) deal(i);
  });
}

void ExcitationSlices::deal(Index slice) {
  constexpr Index kAhead = 8;
  const Index begin = begins_[slice];
  const Index depth = (begins_[slice + 1] - begin) / kSliceRows;
  std::array<Index, kSliceRows> lengths{};
  for (int lane = 0; lane < kSliceRows; ++lane)
    while (lengths[lane] < depth && moves_[begin + kSliceRows * lengths[lane] + lane].is_there())
      ++lengths[lane];
  for (Index k = 0; k < depth; ++k) {
    Banks banks;
    for (int lane = 0; lane < kSliceRows && k < lengths[lane]; ++lane) {
      const auto at = [&](Index step) { return begin + kSliceRows * step + lane; };
      Index best = k;
      int least = banks.cost(lane, moves_[at(k)]);
      for (Index i = k + 1; i < std::min(lengths[lane], k + kAhead) && least > 0; ++i)
        if (const int cost = banks.cost(lane, moves_[at(i)]); cost < least) {
          least = cost;
          best = i;
        }
      std::swap(moves_[at(k)], moves_[at(best)]);
      if (values_.size() > 0) std::swap(values_[at(k)], values_[at(best)]);
      banks.add(lane, moves_[at(k)]);
    }
  }
}

ExcitationSlices::ExcitationSlices(base::Array<Index> first, base::Array<Index> begins,
                                   base::Array<std::uint16_t> rows,
                                   base::Array<PackedExcitation> moves, base::Array<double> values)
    : first_(std::move(first)),
      begins_(std::move(begins)),
      rows_(std::move(rows)),
      moves_(std::move(moves)),
      values_(std::move(values)) {}

ExcitationSlices ExcitationSlices::to(const base::Backend& target) const {
  ExcitationSlices copy(first_.to(target), begins_.to(target), rows_.to(target), moves_.to(target),
                        values_.to(target));
  copy.counts_ = counts_;
  copy.count_ = count_;
  return copy;
}

ExcitationSlicesView ExcitationSlices::view() const {
  return {first_.data(), begins_.data(), rows_.data(), moves_.data(), values_.data()};
}

Index ExcitationSlices::bytes() const {
  return first_.bytes() + begins_.bytes() + rows_.bytes() + moves_.bytes() + values_.bytes();
}

}  // namespace cisolve::ci
