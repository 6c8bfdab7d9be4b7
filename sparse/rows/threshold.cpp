#include "sparse/rows/threshold.hpp"

#include <cmath>
#include <numeric>
#include <vector>

namespace cisolve::sparse {

// Calls keep(row, column, value) for each element that is kept, row by row.
template <class Keep>
void ThresholdRows::visit(Index first, Index last, Keep&& keep) const {
  std::vector<Column> lengths(last - first);
  rows_->count(first, lengths);
  const Index all = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  std::vector<Column> columns(all);
  std::vector<double> values(all);
  rows_->fill(first, last, columns, values);
  Index k = 0;
  for (Index row = first; row < last; ++row)
    for (const Index end = k + lengths[row - first]; k < end; ++k)
      if (columns[k] == row || std::abs(values[k]) > threshold_) keep(row, columns[k], values[k]);
}

void ThresholdRows::count(Index first, std::span<Column> lengths) const {
  for (Column& length : lengths) length = 0;
  visit(first, first + std::ssize(lengths),
        [&](Index row, Column /*column*/, double /*value*/) { ++lengths[row - first]; });
}

void ThresholdRows::fill(Index first, Index last, std::span<Column> columns,
                         std::span<double> values) const {
  std::size_t next = 0;
  visit(first, last, [&](Index /*row*/, Column column, double value) {
    columns[next] = column;
    values[next++] = value;
  });
}

}  // namespace cisolve::sparse
