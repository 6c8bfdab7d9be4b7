#include "sparse/distributed/rank_rows.hpp"

#include "base/loops.hpp"
#include "base/ranks/work_distribution.hpp"

namespace cisolve::sparse {
namespace {

constexpr Index kBlocks = 1024;  // blocks of rows per rank; a rank's rows begin at a block

/// First row of block `number`.
Index start_of(Index rows, Index blocks, Index number) {
  return rows / blocks * number + std::min(number, rows % blocks);
}

/// Elements per block; each rank counts some blocks, and the counts are summed.
std::vector<double> count_blocks(const base::Communicator& ranks, const RowSource& rows,
                                 Index blocks, const base::Backend& host) {
  const Index dimension = rows.shape().rows;
  std::vector<double> counts(blocks);
  const Index mine = (blocks - ranks.rank() + ranks.size() - 1) / ranks.size();
  base::for_each_chunk(mine, 1, host, [&](Index first, Index last) {
    std::vector<Column> lengths;
    for (Index i = first; i < last; ++i) {
      const Index block = ranks.rank() + i * ranks.size();
      const Index begin = start_of(dimension, blocks, block);
      lengths.resize(start_of(dimension, blocks, block + 1) - begin);
      rows.count(begin, lengths);
      for (const Column length : lengths) counts[block] += static_cast<double>(length);
    }
  });
  ranks.sum(counts);
  return counts;
}

}  // namespace

base::Layout distribute_rows(const base::Communicator& ranks, const RowSource& rows,
                             const base::Backend& host) {
  const Index dimension = rows.shape().rows;
  const Index blocks = std::min(dimension, kBlocks * ranks.size());
  const std::vector<double> counts = count_blocks(ranks, rows, blocks, host);
  std::vector<Index> sizes(blocks);
  for (Index block = 0; block < blocks; ++block)
    sizes[block] = start_of(dimension, blocks, block + 1) - start_of(dimension, blocks, block);
  return base::distribute_work(counts, sizes, ranks.size());
}

// Within a row, the rank's own columns are between remote ones: rotates them to the front.
void RankRows::fill(Index first, Index last, std::span<Column> columns,
                    std::span<double> values) const {
  rows_.fill(first_ + first, first_ + last, columns, values);
  auto column = columns.begin();
  auto value = values.begin();
  for (const Column length : lengths_.subspan(first, last - first)) {
    const auto end = column + length;
    const auto before = std::lower_bound(column, end, first_) - column;
    const auto until = std::lower_bound(column, end, first_ + own()) - column;
    for (auto k = 0; k < length; ++k) {
      const bool is_own = k >= before && k < until;
      column[k] = static_cast<Column>(is_own ? column[k] - first_ : own() + place_[column[k]]);
    }
    std::rotate(column, column + before, column + until);
    std::rotate(value, value + before, value + until);
    column = end;
    value += length;
  }
}

}  // namespace cisolve::sparse
