#include "sparse/formats/csb.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "sparse/formats/components.hpp"
#include "sparse/formats/formulas.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::sparse {
namespace {

Index chosen_block_size(const FormatOptions& options, const MatrixShape& shape) {
  if (options.block_size == kAutomatic) {
    const Index dimension = std::max(shape.rows, shape.columns);
    Index size = 1;
    while (size * size < dimension && size < kLargestCsbBlock) size *= 2;
    return size;
  }
  if (options.block_size < 1 || options.block_size > kLargestCsbBlock)
    base::fail(base::ErrorKind::configuration, "block_size is ", options.block_size,
               "; expected auto or 1 to ", kLargestCsbBlock);
  return options.block_size;
}

Index blocks_of(Index extent, Index size) { return (extent + size - 1) / size; }

/// Places the elements of one row of blocks from position `base` on. `columns` and `values` hold
/// its rows consecutively.
void place_block_row(Csb& matrix, Index block_row, Index base, std::span<const Column> lengths,
                     std::span<const Column> columns, std::span<const double> values) {
  Index* offsets = matrix.block_offsets.data() + block_row * matrix.block_columns;
  std::vector<Index> next(matrix.block_columns);
  for (const Column column : columns) ++next[column / matrix.block_size];
  for (Index block = 0; block < matrix.block_columns; ++block) {
    const Index count = next[block];
    offsets[block] = next[block] = base;
    base += count;
  }
  Index k = 0;
  for (Index row = 0; row < std::ssize(lengths); ++row)
    for (const Index end = k + lengths[row]; k < end; ++k) {
      const Index target = next[columns[k] / matrix.block_size]++;
      matrix.rows[target] = static_cast<std::uint16_t>(row);
      matrix.columns[target] = static_cast<std::uint16_t>(columns[k] % matrix.block_size);
      matrix.values[target] = values[k];
    }
}

void fill_blocks(const RowSource& source, std::span<const Column> lengths,
                 std::span<const Index> block_row_offsets, Csb& matrix) {
  const Index per_chunk = std::max<Index>(1, source.grain() / matrix.block_size);
  const Index size = matrix.block_size;
  const base::Backend& host = matrix.values.backend();
  const auto fill = [&](Index from, Index to) {
    const Index first = from * size;
    const Index last = std::min(matrix.shape.rows, to * size);
    const Index begin = block_row_offsets[from];
    const Index elements = block_row_offsets[to] - begin;
    base::Array<Column> columns(host, elements, "the rows read at once");
    base::Array<double> values(host, elements, "the rows read at once");
    source.fill(first, last, columns.span(), values.span());
    for (Index block_row = from; block_row < to; ++block_row) {
      const Index base = block_row_offsets[block_row];
      const Index count = block_row_offsets[block_row + 1] - base;
      const Index row = block_row * size;
      place_block_row(matrix, block_row, base, lengths.subspan(row, std::min(size, last - row)),
                      std::as_const(columns).span().subspan(base - begin, count),
                      std::as_const(values).span().subspan(base - begin, count));
    }
  };
  const auto size_of = [&](Index block_row) {
    return block_row_offsets[block_row + 1] - block_row_offsets[block_row];
  };
  const Index most = most_read_at_once(host);
  base::for_each_chunk(matrix.block_rows, per_chunk, host, [&](Index from, Index to) {
    for_each_piece(from, to, most, size_of, fill);
  });
}

std::vector<Index> offsets_of_block_rows(std::span<const Column> lengths, Index block_size) {
  std::vector<Index> offsets{0};
  for (Index row = 0; row < std::ssize(lengths); row += block_size) {
    const Index count = std::min(block_size, std::ssize(lengths) - row);
    offsets.push_back(offsets.back() + total(lengths.subspan(row, count)));
  }
  return offsets;
}

}  // namespace

Csb build_csb(const RowSource& rows, const FormatOptions& options, const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  const base::Array<Column> lengths = row_lengths(rows, host);
  const Index size = chosen_block_size(options, shape);
  const Index block_rows = blocks_of(shape.rows, size);
  const Index block_columns = blocks_of(shape.columns, size);
  const std::vector<Index> begins = offsets_of_block_rows(lengths.span(), size);
  const Index nonzeros = begins.back();
  Csb matrix{shape,
             size,
             block_rows,
             block_columns,
             base::Array<Index>(host, block_rows * block_columns + 1, "the CSB block offsets"),
             base::Array<std::uint16_t>(host, nonzeros, "the CSB row indices"),
             base::Array<std::uint16_t>(host, nonzeros, "the CSB column indices"),
             base::Array<double>(host, nonzeros, "the CSB values")};
  fill_blocks(rows, lengths.span(), begins, matrix);
  matrix.block_offsets[block_rows * block_columns] = nonzeros;
  return matrix;
}

MemoryUse plan_csb(const MatrixShape& shape, Index nonzeros, const FormatOptions& options) {
  const Index size = chosen_block_size(options, shape);
  const Index blocks = blocks_of(shape.rows, size) * blocks_of(shape.columns, size);
  return with_wide_offsets(csb_bytes(nonzeros, blocks), blocks + 1, 0);
}

MemoryUse Csb::memory() const {
  return {csb_bytes(values.size(), block_rows * block_columns),
          block_offsets.bytes() + rows.bytes() + columns.bytes() + values.bytes(), 0};
}

CsbView Csb::view() const {
  return {shape.rows,           shape.columns, block_size,     block_rows,   block_columns,
          block_offsets.data(), rows.data(),   columns.data(), values.data()};
}

Csb Csb::to(const base::Backend& target) const {
  return {shape,
          block_size,
          block_rows,
          block_columns,
          block_offsets.to(target),
          rows.to(target),
          columns.to(target),
          values.to(target)};
}

void Csb::write_components(std::ostream& out) const {
  const Csb on_host = to(values.backend().host());
  write_list(out, "Value", on_host.values.span());
  write_list(out, "row_idx", on_host.rows.span());
  write_list(out, "col_idx", on_host.columns.span());
  write_list(out, "Block_ptr", on_host.block_offsets.span());
}

}  // namespace cisolve::sparse
