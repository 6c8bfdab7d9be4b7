#include "ci/fock/spaces/partition.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace cisolve::ci {

Partition::Partition(const base::Backend& host)
    : stored_(host, 0, "a partition"), canonical_(host, 0, "a partition") {}

void Partition::to_stored(std::span<const Column> columns, std::span<const double> values,
                          std::span<Column> stored_columns, std::span<double> stored_values) const {
  if (is_canonical()) {
    std::ranges::copy(columns, stored_columns.begin());
    std::ranges::copy(values, stored_values.begin());
    return;
  }
  // Within each region the stored order is canonical.
  Index reference =
      std::ranges::count_if(columns, [&](Column column) { return stored_[column] < reference_; });
  Index expansion = reference;
  reference = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column column = stored_[columns[i]];
    Index& place = column < reference_ ? reference : expansion;
    stored_columns[place] = column;
    stored_values[place++] = values[i];
  }
}

Partition Partition::where(const Space& space, const std::function<bool(Index row)>& is_reference) {
  const Index rows = space.dimension();
  if (rows > base::kLargestDimension)
    base::fail(base::ErrorKind::bad_input, "the partition has ", rows, " rows; expected at most ",
               base::kLargestDimension);
  Partition partition(space.host());
  partition.canonical_ = base::Array<Column>(space.host(), rows, "a partition");
  partition.stored_ = base::Array<Column>(space.host(), rows, "a partition");
  const auto canonical = partition.canonical_.span();
  std::iota(canonical.begin(), canonical.end(), Column{0});
  const auto expansion = std::stable_partition(
      canonical.begin(), canonical.end(), [&](Column row) { return is_reference(Index{row}); });
  partition.reference_ = expansion - canonical.begin();
  for (Index row = 0; row < rows; ++row)
    partition.stored_[canonical[row]] = static_cast<Column>(row);
  return partition;
}

Partition Partition::of(const Space& space, std::span<const Determinant> references) {
  std::vector<Index> rows;
  for (const Determinant& reference : references)
    if (const auto row = space.row_of(reference)) rows.push_back(*row);
  std::ranges::sort(rows);
  return where(space, [&](Index row) { return std::ranges::binary_search(rows, row); });
}

Partition Partition::by_excitation(const Space& space, const Determinant& from, int level) {
  return where(space,
               [&](Index row) { return excitation_level(from, space.determinant(row)) <= level; });
}

Partition Partition::of_lowest(const Space& space, std::span<const double> diagonal, Index count) {
  if (std::ssize(diagonal) != space.dimension() || count < 0 || count > space.dimension())
    base::fail(base::ErrorKind::bad_input, "the Reference region has ", count, " of ",
               space.dimension(), " determinants; expected 0 to all of them");
  base::Array<Index> all(space.host(), std::ssize(diagonal), "the determinants by energy");
  const std::span<Index> rows = all.span();
  std::iota(rows.begin(), rows.end(), Index{0});
  std::ranges::nth_element(rows, rows.begin() + count, [&](Index i, Index j) {
    return diagonal[i] != diagonal[j] ? diagonal[i] < diagonal[j] : i < j;
  });
  const std::span<Index> lowest = rows.first(count);
  std::ranges::sort(lowest);
  return where(space, [&](Index row) { return std::ranges::binary_search(lowest, row); });
}

}  // namespace cisolve::ci
