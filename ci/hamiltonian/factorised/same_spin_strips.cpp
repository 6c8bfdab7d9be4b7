#include "ci/hamiltonian/factorised/same_spin_strips.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kHeight = SameSpinStrips::kRows;
constexpr Index kGrain = 16;
constexpr auto kOfStrips = "the strips of string matrices";

Index strips_of(const SameSpinMatrix& matrix) { return (matrix.rows() + kHeight - 1) / kHeight; }

/// Calls visit(column, values) for the non-empty columns of a strip, ascending.
template <class Visit>
void for_each_column(const SameSpinMatrix& matrix, Index strip, Visit&& visit) {
  const Index first = strip * kHeight;
  const Index count = std::min(kHeight, matrix.rows() - first);
  std::array<Index, kHeight> at{};
  for (Index i = 0; i < count; ++i) at[i] = matrix.offsets[first + i];
  while (true) {
    std::optional<Column> next;
    for (Index i = 0; i < count; ++i)
      if (at[i] < matrix.offsets[first + i + 1])
        next = std::min(next.value_or(matrix.columns[at[i]]), matrix.columns[at[i]]);
    if (!next) return;
    std::array<double, kHeight> values{};
    for (Index i = 0; i < count; ++i)
      if (at[i] < matrix.offsets[first + i + 1] && matrix.columns[at[i]] == *next)
        values[i] = matrix.values[at[i]++];
    visit(*next, values);
  }
}

}  // namespace

SameSpinStrips::SameSpinStrips(const SameSpinMatrix& matrix, const base::Backend& host)
    : rows_(matrix.rows()),
      offsets_(host, strips_of(matrix) + 1, kOfStrips),
      columns_(host, 0, kOfStrips),
      values_(host, 0, kOfStrips) {
  offsets_[0] = 0;
  base::for_each_chunk(strips(), kGrain, host, [&](Index first, Index last) {
    for (Index strip = first; strip < last; ++strip) {
      Index columns = 0;
      for_each_column(matrix, strip, [&](Column, const auto&) { ++columns; });
      offsets_[strip + 1] = columns;
    }
  });
  for (Index strip = 0; strip < strips(); ++strip) offsets_[strip + 1] += offsets_[strip];
  columns_ = base::Array<Column>(host, offsets_[strips()], kOfStrips);
  values_ = base::Array<double>(host, offsets_[strips()] * kHeight, kOfStrips);
  base::for_each_chunk(strips(), kGrain, host, [&](Index first, Index last) {
    for (Index strip = first; strip < last; ++strip) {
      Index k = offsets_[strip];
      for_each_column(matrix, strip, [&](Column column, const auto& values) {
        columns_[k] = column;
        std::ranges::copy(values, &values_[k++ * kHeight]);
      });
    }
  });
}

Index count_columns(const SameSpinMatrix& matrix) {
  std::atomic<Index> columns = 0;
  const Index strips = strips_of(matrix);
  const Index grain = is_small_matrix(matrix) ? std::max(strips, kGrain) : kGrain;
  base::for_each_chunk(strips, grain, matrix.offsets.backend(), [&](Index first, Index last) {
    Index here = 0;
    for (Index strip = first; strip < last; ++strip)
      for_each_column(matrix, strip, [&](Column, const auto&) { ++here; });
    columns += here;
  });
  return columns;
}

}  // namespace cisolve::ci
