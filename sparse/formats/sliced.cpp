#include "sparse/formats/sliced.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/fill.hpp"
#include "sparse/formats/components.hpp"
#include "sparse/formats/formulas.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/device_offsets.hpp"

namespace cisolve::sparse {
namespace {

/// Division of the rows into slices; each is as wide as its longest row.
struct Slicing {
  bool sliced;
  bool with_lengths;
  Index height;

  Index slices(Index rows) const { return (rows + height - 1) / height; }
  Index stored(std::span<const Column> lengths, Index slice) const {
    const Index first = slice * height;
    const Index count = std::min(height, std::ssize(lengths) - first);
    return height * Index{std::ranges::max(lengths.subspan(first, count))};
  }
  Index formula(Index rows, Index stored) const {
    if (sliced)
      return with_lengths ? sliced_r_bytes(stored, slices(rows), rows)
                          : sliced_bytes(stored, slices(rows));
    const Index longest = stored / height;
    return with_lengths ? ellpack_r_bytes(rows, longest) : ellpack_bytes(rows, longest);
  }
};

Slicing slicing_by(const FormatOptions& options, Index rows) {
  if (options.slice_height < 1)
    base::fail(base::ErrorKind::configuration, "slice_height is ", options.slice_height,
               "; expected at least 1");
  const bool sliced = options.format.starts_with("sell");
  return {sliced, options.format.ends_with("-r"),
          sliced ? options.slice_height : std::max<Index>(rows, 1)};
}

std::string_view canonical_name(const Slicing& cut) {
  if (cut.sliced) return cut.with_lengths ? "sell-r" : "sell";
  return cut.with_lengths ? "ellpack-r" : "ellpack";
}

base::Array<Index> lay_out(const base::Array<Column>& lengths, const Slicing& cut) {
  constexpr const char* kMemoryLabel = "the slice offsets";
  if (!lengths.backend().is_host())
    return slice_offsets_on_device(lengths, cut.height, kMemoryLabel);
  const Index slices = cut.slices(lengths.size());
  base::Array<Index> offsets(lengths.backend(), slices + 1, kMemoryLabel);
  offsets[0] = 0;
  for (Index slice = 0; slice < slices; ++slice)
    offsets[slice + 1] = offsets[slice] + cut.stored(lengths.span(), slice);
  return offsets;
}

void fill_slices(const RowSource& rows, std::span<const Column> lengths, Sliced& matrix) {
  const SlicedView view = matrix.view();
  const base::Backend& host = matrix.values.backend();
  for_each_row(rows, lengths, host, [&](const Row& row) {
    const Index first = view.position(row.number, 0);
    const Index width = view.width(row.number / view.slice_height);
    for (Index k = 0; k < width; ++k) {
      const bool stored = k < std::ssize(row.columns);
      matrix.columns[first + k * view.slice_height] = stored ? row.columns[k] : -1;
      matrix.values[first + k * view.slice_height] = stored ? row.values[k] : 0;
    }
  });
}

/// Fills the last slice's rows beyond the matrix.
void fill_missing_rows(Sliced& matrix) {
  const SlicedView view = matrix.view();
  for (Index row = view.rows; row < matrix.slices() * view.slice_height; ++row)
    for (Index k = 0; k < view.width(row / view.slice_height); ++k) {
      matrix.columns[view.position(row, k)] = -1;
      matrix.values[view.position(row, k)] = 0;
    }
}

/// Allocates for these row lengths, on their backend.
Sliced allocate_sliced(const MatrixShape& shape, const FormatOptions& options,
                       base::Array<Column> lengths) {
  const base::Backend target = lengths.backend();
  const Slicing cut = slicing_by(options, shape.rows);
  const Index elements = target.is_host() ? total(lengths.span()) : total_on_device(lengths);
  base::Array<Index> offsets = lay_out(lengths, cut);
  const Index positions = last_of(offsets);
  if (!cut.with_lengths) lengths = base::Array<Column>(target, 0, "the row lengths");
  return {canonical_name(cut),
          shape,
          cut.height,
          elements,
          std::move(offsets),
          base::Array<Column>(target, positions, "the columns of an ELLPACK format"),
          base::Array<double>(target, positions, "the values of an ELLPACK format"),
          std::move(lengths)};
}

}  // namespace

base::Array<Index> slice_offsets(const base::Array<Column>& lengths, const FormatOptions& options) {
  return lay_out(lengths, slicing_by(options, lengths.size()));
}

MemoryUse plan_sliced(std::span<const Column> lengths, const FormatOptions& options) {
  const Index rows = std::ssize(lengths);
  const Slicing cut = slicing_by(options, rows);
  const Index slices = cut.slices(rows);
  Index stored = 0;
  for (Index slice = 0; slice < slices; ++slice) stored += cut.stored(lengths, slice);
  // The ELLPACK formulas count no offsets.
  const Index offsets = cut.sliced ? slices + 1 : 2 * (slices + 1);
  return with_wide_offsets(cut.formula(rows, stored), offsets, stored - total(lengths));
}

Sliced build_sliced(const RowSource& rows, const FormatOptions& options,
                    const base::Backend& host) {
  const base::Array<Column> lengths = row_lengths(rows, host);
  Sliced matrix = allocate_sliced(rows.shape(), options, lengths.to(host));
  fill_slices(rows, lengths.span(), matrix);
  fill_missing_rows(matrix);
  return matrix;
}

Sliced build_sliced(const DeviceRows& rows, const FormatOptions& options) {
  const MatrixShape shape = rows.shape();
  Sliced matrix = allocate_sliced(shape, options, rows.lengths(shape.columns));
  const auto first = rows_of_slices(matrix.slice_offsets, matrix.slice_height, shape.rows,
                                    "the first positions of rows");
  if (matrix.elements < matrix.values.size()) {
    base::fill_bytes(matrix.columns, 0xff);  // -1
    base::fill_bytes(matrix.values, 0);
  }
  rows.fill({.tail_first = first.data(),
             .tail_step = matrix.slice_height,
             .tail_columns = matrix.columns.data(),
             .tail_values = matrix.values.data()});
  return matrix;
}

MemoryUse Sliced::memory() const {
  const Index padding = values.size() - elements;
  const Index held = slice_offsets.bytes() + columns.bytes() + values.bytes() + lengths.bytes();
  const Slicing cut{name.starts_with("sell"), name.ends_with("-r"), slice_height};
  return {cut.formula(shape.rows, values.size()), held, padding};
}

SlicedView Sliced::view() const {
  return {shape.rows,
          shape.columns,
          slice_height,
          slice_offsets.data(),
          columns.data(),
          values.data(),
          lengths.size() > 0 ? lengths.data() : nullptr,
          values.size()};
}

Sliced Sliced::to(const base::Backend& target) const {
  return {name,
          shape,
          slice_height,
          elements,
          slice_offsets.to(target),
          columns.to(target),
          values.to(target),
          lengths.to(target)};
}

void Sliced::write_components(std::ostream& out) const {
  const base::Backend host = values.backend().host();
  const Sliced on_host = to(host);
  const SlicedView view = on_host.view();
  for (Index slice = 0; slice < slices(); ++slice) {
    const Index first = slice * slice_height;
    const Index count = std::min(slice_height, shape.rows - first);
    const std::string number = name.starts_with("sell") ? base::concat(" ", slice + 1) : "";
    write_table(out, "NonZerosEntries" + number, count, view.width(slice),
                [&](Index i, Index k) { return on_host.values[view.position(first + i, k)]; });
    write_table(out, "Column" + number, count, view.width(slice),
                [&](Index i, Index k) { return on_host.columns[view.position(first + i, k)]; });
  }
  if (lengths.size() > 0) write_list(out, "RowLength", on_host.lengths.span());
}

}  // namespace cisolve::sparse
