#include "sparse/formats/hybrid.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/fill.hpp"
#include "sparse/formats/components.hpp"
#include "sparse/formats/formulas.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::sparse {
namespace {

base::Array<Column> at_most(Index boundary, std::span<const Column> lengths,
                            const base::Backend& host) {
  base::Array<Column> inside(host, std::ssize(lengths), "the ELLPACK row lengths");
  const auto limit = static_cast<Column>(std::min(boundary, base::kLargestDimension));
  std::ranges::transform(lengths, inside.data(), [=](Column n) { return std::min(n, limit); });
  return inside;
}

/// Number of elements of each row in the ELLPACK part.
base::Array<Column> ellpack_lengths(const RowSource& rows, std::span<const Column> lengths,
                                    Index boundary, BoundaryPolicy policy,
                                    const base::Backend& host) {
  if (policy == BoundaryPolicy::count) return at_most(boundary, lengths, host);
  base::Array<Column> inside(host, std::ssize(lengths), "the ELLPACK row lengths");
  for_each_row(rows, lengths, host, [&](const Row& row) {
    const auto border = std::ranges::lower_bound(row.columns, boundary);
    inside[row.number] = static_cast<Column>(border - row.columns.begin());
  });
  return inside;
}

/// Allocates for these row lengths, of which `inside` elements are in the ELLPACK part.
Hybrid allocate_hybrid(const MatrixShape& shape, Index boundary, BoundaryPolicy policy,
                       std::span<const Column> lengths, base::Array<Column> inside,
                       const base::Backend& target) {
  const Index width = inside.size() == 0 ? 0 : std::ranges::max(inside.span());
  base::Array<Index> tail_offsets(inside.backend(), shape.rows + 1, "the CSR row offsets");
  tail_offsets[0] = 0;
  for (Index row = 0; row < shape.rows; ++row)
    tail_offsets[row + 1] = tail_offsets[row] + (lengths[row] - inside[row]);
  const Index tail = tail_offsets[shape.rows];
  if (!target.is_host()) {
    inside = inside.to(target);
    tail_offsets = tail_offsets.to(target);
  }
  return {shape,
          boundary,
          policy,
          width,
          total(lengths),
          std::move(inside),
          base::Array<Column>(target, shape.rows * width, "the ELLPACK columns"),
          base::Array<double>(target, shape.rows * width, "the ELLPACK values"),
          std::move(tail_offsets),
          base::Array<Column>(target, tail, "the CSR columns"),
          base::Array<double>(target, tail, "the CSR values")};
}

void fill_parts(const RowSource& rows, std::span<const Column> lengths, Hybrid& matrix) {
  for_each_row(rows, lengths, matrix.lengths.backend(), [&](const Row& row) {
    const Index inside = matrix.lengths[row.number];
    const Index first = row.number * matrix.width;
    std::copy_n(row.columns.data(), inside, matrix.ell_columns.data() + first);
    std::copy_n(row.values.data(), inside, matrix.ell_values.data() + first);
    std::fill_n(matrix.ell_columns.data() + first + inside, matrix.width - inside, -1);
    std::fill_n(matrix.ell_values.data() + first + inside, matrix.width - inside, 0.0);
    const Index tail = matrix.tail_offsets[row.number];
    std::ranges::copy(row.columns.subspan(inside), matrix.tail_columns.data() + tail);
    std::ranges::copy(row.values.subspan(inside), matrix.tail_values.data() + tail);
  });
}

/// Largest width that at most a tenth of the rows leave unfilled.
Index widest_with_few_short_rows(std::span<const Column> lengths) {
  constexpr double kShareOfShorterRows = 0.1;
  if (lengths.empty()) return 0;
  const Column longest = std::ranges::max(lengths);
  std::vector<Index> rows_of_length(static_cast<std::size_t>(longest) + 1);
  for (const Column length : lengths) ++rows_of_length[length];
  const auto allowed =
      static_cast<Index>(kShareOfShorterRows * static_cast<double>(lengths.size()));
  Index shorter = 0;
  for (Column k = 0; k < longest; ++k) {
    shorter += rows_of_length[k];
    if (shorter > allowed) return k;
  }
  return longest;
}

}  // namespace

Index automatic_boundary(std::span<const Column> lengths) {
  constexpr Index kLine = 32;  // columns; two cache lines of values
  constexpr Index kLeastAligned = 4 * kLine;
  const Index widest = widest_with_few_short_rows(lengths);
  return widest < kLeastAligned ? widest : widest / kLine * kLine;
}

Index chosen_boundary(const FormatOptions& options, std::span<const Column> lengths,
                      const MatrixShape& shape) {
  if (options.boundary >= 0) return options.boundary;
  if (options.boundary != kAutomatic)
    base::fail(base::ErrorKind::configuration, "boundary is ", options.boundary,
               "; expected auto or a number from 0");
  return options.policy == BoundaryPolicy::column ? shape.reference_columns
                                                  : automatic_boundary(lengths);
}

MemoryUse plan_hybrid(const RowSource& rows, std::span<const Column> lengths,
                      const FormatOptions& options, const base::Backend& host) {
  const base::Array<Column> inside =
      ellpack_lengths(rows, lengths, options.boundary, options.policy, host);
  const Index count = inside.size();
  const Index width = count == 0 ? 0 : std::ranges::max(inside.span());
  const Index in_ellpack = total(inside.span());
  // A row stores 4 + 8 bytes against the formula's three 4-byte indices; there is one offset more.
  return with_wide_offsets(hybrid_bytes(count, width, total(lengths) - in_ellpack), 2,
                           count * width - in_ellpack);
}

Hybrid build_hybrid(const RowSource& rows, const FormatOptions& options,
                    const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  const base::Array<Column> lengths = row_lengths(rows, host);
  const Index boundary = chosen_boundary(options, lengths.span(), shape);
  Hybrid matrix =
      allocate_hybrid(shape, boundary, options.policy, lengths.span(),
                      ellpack_lengths(rows, lengths.span(), boundary, options.policy, host), host);
  fill_parts(rows, lengths.span(), matrix);
  return matrix;
}

Hybrid build_hybrid(const DeviceRows& rows, const FormatOptions& options) {
  const base::Backend& device = rows.device();
  const MatrixShape shape = rows.shape();
  const base::Array<Column> lengths = rows.lengths(shape.columns).to(device.host());
  const Index boundary = chosen_boundary(options, lengths.span(), shape);
  base::Array<Column> inside = options.policy == BoundaryPolicy::count
                                   ? at_most(boundary, lengths.span(), device.host())
                                   : rows.lengths(boundary).to(device.host());
  const Index in_ellpack = total(inside.span());
  Hybrid matrix =
      allocate_hybrid(shape, boundary, options.policy, lengths.span(), std::move(inside), device);
  if (in_ellpack < matrix.ell_values.size()) {
    base::fill_bytes(matrix.ell_columns, 0xff);  // -1
    base::fill_bytes(matrix.ell_values, 0);
  }
  rows.fill({.head_lengths = matrix.lengths.data(),
             .head_width = matrix.width,
             .head_columns = matrix.ell_columns.data(),
             .head_values = matrix.ell_values.data(),
             .tail_first = matrix.tail_offsets.data(),
             .tail_columns = matrix.tail_columns.data(),
             .tail_values = matrix.tail_values.data()});
  return matrix;
}

MemoryUse Hybrid::memory() const {
  const Index held = lengths.bytes() + ell_columns.bytes() + ell_values.bytes() +
                     tail_offsets.bytes() + tail_columns.bytes() + tail_values.bytes();
  return {hybrid_bytes(shape.rows, width, tail_values.size()), held,
          ell_values.size() + tail_values.size() - elements};
}

HybridView Hybrid::view() const {
  return {shape.rows,
          shape.columns,
          width,
          lengths.data(),
          ell_columns.data(),
          ell_values.data(),
          tail_offsets.data(),
          tail_columns.data(),
          tail_values.data(),
          elements};
}

Hybrid Hybrid::to(const base::Backend& target) const {
  return {shape,
          boundary,
          policy,
          width,
          elements,
          lengths.to(target),
          ell_columns.to(target),
          ell_values.to(target),
          tail_offsets.to(target),
          tail_columns.to(target),
          tail_values.to(target)};
}

void Hybrid::write_components(std::ostream& out) const {
  const Hybrid on_host = to(lengths.backend().host());
  write_table(out, "NonZerosEntries", shape.rows, width,
              [&](Index i, Index k) { return on_host.ell_values[i * width + k]; });
  write_table(out, "ELLPACK_Column", shape.rows, width,
              [&](Index i, Index k) { return on_host.ell_columns[i * width + k]; });
  write_list(out, "Value", on_host.tail_values.span());
  write_list(out, "CSR_Column", on_host.tail_columns.span());
  std::vector<Index> counts(shape.rows);
  for (Index i = 0; i < shape.rows; ++i)
    counts[i] = on_host.lengths[i] + on_host.tail_offsets[i + 1] - on_host.tail_offsets[i];
  write_list(out, "AllNonZerosCount", std::span<const Index>(counts));
  write_list(out, "StartArr", on_host.tail_offsets.span().first(shape.rows));
  write_list(out, "EndArr", on_host.tail_offsets.span().last(shape.rows));
}

}  // namespace cisolve::sparse
