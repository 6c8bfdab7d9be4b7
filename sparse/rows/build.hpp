#pragma once

#include <functional>
#include <span>

#include "base/array.hpp"
#include "sparse/rows/row_source.hpp"

// What the builders of all formats share: passes over a source of rows, in parallel.
namespace cisolve::sparse {

/// The length of every row of a source.
base::Array<Column> row_lengths(const RowSource& rows, const base::Backend& host);

/// A row as a builder receives it.
struct Row {
  Index number;
  std::span<const Column> columns;
  std::span<const double> values;
};

/// Elements that each thread of a host may read at once, by the memory that is left.
Index most_read_at_once(const base::Backend& host);

/// Calls work(from, to) for parts of first to last, one after the other, each of up to `most`
/// elements or of a single item if that has more; size_of(item) says how many each has.
template <class SizeOf, class Work>
void for_each_piece(Index first, Index last, Index most, SizeOf&& size_of, Work&& work) {
  for (Index from = first; from < last;) {
    Index to = from + 1;
    for (Index size = size_of(from); to < last && (size += size_of(to)) <= most;) ++to;
    work(from, to);
    from = to;
  }
}

/// Gives each row to `take`, several threads at once, each row once. `lengths` are the source's.
/// Fewer rows are read at once if little memory is left.
void for_each_row(const RowSource& rows, std::span<const Column> lengths, const base::Backend& host,
                  const std::function<void(const Row&)>& take);

/// The sum of all lengths.
Index total(std::span<const Column> lengths);

/// offsets[i] = sum of the first i lengths; one more than there are lengths.
base::Array<Index> offsets_from(std::span<const Column> lengths, const base::Backend& host,
                                std::string_view what);

}  // namespace cisolve::sparse
