#pragma once

#include <functional>
#include <span>

#include "base/array.hpp"
#include "sparse/rows/row_source.hpp"

// Parallel passes over a source of rows, common to the builders of all formats.
namespace cisolve::sparse {

/// The length of every row of a source.
base::Array<Column> row_lengths(const RowSource& rows, const base::Backend& host);

/// A row as passed to a builder.
struct Row {
  Index number;
  std::span<const Column> columns;
  std::span<const double> values;
};

/// Number of elements that each host thread may read at once, given the free memory.
Index most_read_at_once(const base::Backend& host);

/// Calls work(from, to) for consecutive parts of [first, last), each of up to `most` elements or of
/// one larger item; size_of(item) returns an item's elements.
template <class SizeOf, class Work>
void for_each_piece(Index first, Index last, Index most, SizeOf&& size_of, Work&& work) {
  for (Index from = first; from < last;) {
    Index to = from + 1;
    for (Index size = size_of(from); to < last && (size += size_of(to)) <= most;) ++to;
    work(from, to);
    from = to;
  }
}

/// Passes each row to `take` once, from several threads concurrently. `lengths` are the source's.
/// Reads fewer rows at once if memory is short.
void for_each_row(const RowSource& rows, std::span<const Column> lengths, const base::Backend& host,
                  const std::function<void(const Row&)>& take);

/// The sum of all lengths.
Index total(std::span<const Column> lengths);

}  // namespace cisolve::sparse
