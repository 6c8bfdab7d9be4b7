#include "sparse/formats/coded_sliced.hpp"

#include <algorithm>
#include <exception>

#include "base/loops.hpp"
#include "sparse/formats/byte_codes.hpp"
#include "sparse/formats/components.hpp"
#include "sparse/formats/formulas.hpp"
#include "sparse/formats/sliced.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/device_offsets.hpp"

namespace cisolve::sparse {
namespace {

MemoryUse coded_memory(Index positions, Index slices, Index table, Index diagonal, Index elements) {
  return with_wide_offsets(coded_sliced_bytes(positions, slices, table, diagonal), slices + 1,
                           positions - elements);
}

/// Aborts the pass over the rows.
class TooManyValues : public std::exception {};

/// Writes columns, slots and the diagonal; returns false if too many values are off the diagonal.
bool assign_slots(const RowSource& rows, std::span<const Column> lengths, MatrixValues& values,
                  CodedSliced& matrix) {
  const CodedSlicedView view = matrix.view();
  const auto take = [&](const Row& row) {
    const Index width = view.width(row.number / view.slice_height);
    Index place = view.position(row.number, 0);
    matrix.diagonal[row.number] = 0;
    for (Index k = 0; k < width; ++k, place += view.slice_height) {
      const bool stored = k < std::ssize(row.columns);
      matrix.columns[place] = stored ? row.columns[k] : -1;
      matrix.codes[place] = 0;
      if (!stored) continue;
      const bool on_diagonal = row.columns[k] == row.number;
      const int slot = values.take(row.number, row.columns[k], row.values[k]);
      if (on_diagonal) matrix.diagonal[row.number] = row.values[k];
      if (slot < 0 && !on_diagonal) throw TooManyValues();
      matrix.codes[place] = static_cast<std::uint8_t>(std::max(slot, 0));
    }
  };
  try {
    for_each_row(rows, lengths, matrix.codes.backend(), take);
  } catch (const TooManyValues&) {
    return false;
  }
  return true;
}

/// Fills the last slice's rows beyond the matrix.
void fill_missing_coded_rows(CodedSliced& matrix) {
  const CodedSlicedView view = matrix.view();
  for (Index row = view.rows; row < matrix.slices() * view.slice_height; ++row)
    for (Index k = 0; k < view.width(row / view.slice_height); ++k) {
      matrix.columns[view.position(row, k)] = -1;
      matrix.codes[view.position(row, k)] = 0;
    }
}

void renumber(const ByteCodes& codes, CodedSliced& matrix) {
  constexpr Index kRowsAtOnce = 256;
  const CodedSlicedView view = matrix.view();
  base::for_each_chunk(view.rows, kRowsAtOnce, matrix.codes.backend(),
                       [&](Index first, Index last) {
                         for (Index row = first; row < last; ++row)
                           renumber_row(view, row, codes.off_diagonal.data(), codes.diagonal.data(),
                                        matrix.codes.data());
                       });
}

}  // namespace

CodedSliced allocate_coded_sliced(const MatrixShape& shape, const FormatOptions& options,
                                  const base::Array<Column>& lengths) {
  const base::Backend& target = lengths.backend();
  const Index elements = target.is_host() ? total(lengths.span()) : total_on_device(lengths);
  base::Array<Index> offsets = slice_offsets(lengths, options);
  const Index positions = last_of(offsets);
  return {shape,
          options.slice_height,
          elements,
          std::move(offsets),
          base::Array<Column>(target, positions, "the columns of coded slices"),
          base::Array<std::uint8_t>(target, positions, "the codes of coded slices"),
          base::Array<double>(target, 0, "the values of coded slices"),
          base::Array<double>(target, shape.rows, "the diagonal of coded slices")};
}

MemoryUse plan_coded_sliced(std::span<const Column> lengths, const FormatOptions& options) {
  const Index rows = std::ssize(lengths);
  const Index elements = total(lengths);
  const Index positions = elements + plan_sliced(lengths, options).padding;
  const Index slices = (rows + options.slice_height - 1) / options.slice_height;
  return coded_memory(positions, slices, ValueSlots::kSlots, rows, elements);
}

std::optional<CodedSliced> build_coded_sliced(const RowSource& rows, const FormatOptions& options,
                                              const base::Backend& host) {
  const base::Array<Column> lengths = row_lengths(rows, host);
  CodedSliced matrix = allocate_coded_sliced(rows.shape(), options, lengths);
  MatrixValues values;
  if (!assign_slots(rows, lengths.span(), values, matrix)) return std::nullopt;
  const std::optional<ByteCodes> codes = number_values(values);
  if (!codes) return std::nullopt;
  fill_missing_coded_rows(matrix);
  renumber(*codes, matrix);
  adopt_table(*codes, matrix);
  return matrix;
}

MemoryUse CodedSliced::memory() const {
  return coded_memory(columns.size(), slices(), table.size(), diagonal.size(), elements);
}

CodedSlicedView CodedSliced::view() const {
  return {shape.rows,           shape.columns,  slice_height,
          slice_offsets.data(), columns.data(), codes.data(),
          table.data(),         table.size(),   diagonal.size() > 0 ? diagonal.data() : nullptr,
          columns.size()};
}

CodedSliced CodedSliced::to(const base::Backend& target) const {
  return {shape,
          slice_height,
          elements,
          slice_offsets.to(target),
          columns.to(target),
          codes.to(target),
          table.to(target),
          diagonal.to(target)};
}

void CodedSliced::write_components(std::ostream& out) const {
  const CodedSliced on_host = to(codes.backend().host());
  const CodedSlicedView view = on_host.view();
  for (Index slice = 0; slice < slices(); ++slice) {
    const Index first = slice * slice_height;
    const Index count = std::min(slice_height, shape.rows - first);
    write_table(out, base::concat("Code ", slice + 1), count, view.width(slice),
                [&](Index i, Index k) { return int{on_host.codes[view.position(first + i, k)]}; });
    write_table(out, base::concat("Column ", slice + 1), count, view.width(slice),
                [&](Index i, Index k) { return on_host.columns[view.position(first + i, k)]; });
  }
  write_list(out, "Values", on_host.table.span());
  if (on_host.diagonal.size() > 0) write_list(out, "Diagonal", on_host.diagonal.span());
}

}  // namespace cisolve::sparse
