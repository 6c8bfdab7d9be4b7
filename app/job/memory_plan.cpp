#include "app/job/memory_plan.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "sparse/build.hpp"
#include "sparse/csb.hpp"
#include "sparse/formulas.hpp"
#include "sparse/hybrid.hpp"
#include "sparse/tiled.hpp"

namespace cisolve::app {
namespace {

using sparse::Column;
using sparse::FormatOptions;
using sparse::MatrixShape;
using sparse::MemoryUse;

// The formulas count 4 bytes an index; an offset into the non-zeros really takes 8.
constexpr Index kWider = 4;

MemoryUse with_wider_offsets(Index by_formula, Index offsets, Index padding) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  const Index more = kWider * offsets;
  return {by_formula, by_formula > largest - more ? largest : by_formula + more, padding};
}

MemoryUse plan_sliced(const FormatOptions& options, std::span<const Column> lengths) {
  const Index rows = std::ssize(lengths);
  const bool sliced = options.format.starts_with("sell");
  const bool with_lengths = options.format.ends_with("-r");
  const Index height = sliced ? options.slice_height : std::max<Index>(rows, 1);
  const Index slices = (rows + height - 1) / height;
  Index stored = 0;
  for (Index first = 0; first < rows; first += height)
    stored +=
        height * Index{std::ranges::max(lengths.subspan(first, std::min(height, rows - first)))};
  const Index padding = stored - sparse::total(lengths);
  if (sliced)
    return with_wider_offsets(with_lengths ? sparse::sliced_r_bytes(stored, slices, rows)
                                           : sparse::sliced_bytes(stored, slices),
                              slices + 1, padding);
  const Index longest = rows == 0 ? 0 : stored / rows;
  return with_wider_offsets(
      with_lengths ? sparse::ellpack_r_bytes(rows, longest) : sparse::ellpack_bytes(rows, longest),
      2 * (slices + 1), padding);  // which the formulas do not count at all
}

// As build_csb() chooses it.
Index csb_block_size(const FormatOptions& options, const MatrixShape& shape) {
  if (options.block_size != sparse::kAutomatic) return options.block_size;
  Index size = 1;
  while (size * size < std::max(shape.rows, shape.columns) && size < sparse::kLargestCsbBlock)
    size *= 2;
  return size;
}

MemoryUse plan_csb(const FormatOptions& options, const MatrixShape& shape, Index nonzeros) {
  const Index size = csb_block_size(options, shape);
  const Index blocks = ((shape.rows + size - 1) / size) * ((shape.columns + size - 1) / size);
  return with_wider_offsets(sparse::csb_bytes(nonzeros, blocks), blocks + 1, 0);
}

// Nearly: how a cell is padded, and what goes to the tail, is known only from its elements. Jumps
// and padding take a few per cent; every cell is counted as if it were kept.
MemoryUse plan_tiled(const FormatOptions& options, const MatrixShape& shape, Index nonzeros,
                     const base::Backend& backend) {
  const auto geometry = sparse::TileGeometry::of(backend, options);
  const Index offsets = (shape.rows + 1) * Index{sizeof(Index)};
  const Index blocks = std::clamp<Index>(shape.rows, 1, geometry.blocks);
  if (nonzeros < sparse::kLeastTiledElements && !geometry.keep_sparse_cells) {
    const Index bytes = sparse::csr_bytes(shape.rows, nonzeros) + sparse::tiled_bytes(0, 0, blocks);
    return {bytes, bytes + offsets, 0};
  }
  const Index tiles = 1 + 2 * shape.columns / geometry.largest_tile;
  const Index stored = nonzeros + nonzeros / 32;
  const Index bytes =
      sparse::csr_bytes(shape.rows, 0) + sparse::tiled_bytes(stored, blocks * tiles, blocks);
  return {bytes, bytes + offsets, stored - nonzeros};
}

// Of each row, the elements in the ELLPACK part.
base::Array<Column> ellpack_lengths(const sparse::RowSource& rows, std::span<const Column> lengths,
                                    const FormatOptions& options, const base::Backend& host) {
  base::Array<Column> inside(host, std::ssize(lengths), "the ELLPACK row lengths");
  if (options.policy == sparse::BoundaryPolicy::count)
    std::ranges::transform(lengths, inside.data(), [&](Column length) {
      return static_cast<Column>(std::min<Index>(length, options.boundary));
    });
  else
    sparse::for_each_row(rows, lengths, host, [&](const sparse::Row& row) {
      inside[row.number] = static_cast<Column>(
          std::ranges::lower_bound(row.columns, options.boundary) - row.columns.begin());
    });
  return inside;
}

PlannedFormat plan_hybrid(FormatOptions options, const sparse::RowSource& rows,
                          std::span<const Column> lengths, const base::Backend& host) {
  if (options.boundary == sparse::kAutomatic)
    options.boundary = options.policy == sparse::BoundaryPolicy::column
                           ? rows.shape().reference_columns
                           : sparse::automatic_boundary(lengths);
  const auto inside = ellpack_lengths(rows, lengths, options, host);
  const Index count = std::ssize(lengths);
  const Index width = count == 0 ? 0 : Index{std::ranges::max(inside.span())};
  const Index in_ellpack = sparse::total(inside.span());
  const Index tail = sparse::total(lengths) - in_ellpack;
  // 4 + 8 bytes a row where the formula has three indices of 4, and one offset more.
  return {options, with_wider_offsets(sparse::hybrid_bytes(count, width, tail), 2,
                                      count * width - in_ellpack)};
}

}  // namespace

PlannedFormat plan_format(const sparse::RowSource& rows, std::span<const Column> lengths,
                          const FormatOptions& options, const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  const std::string& format = options.format;
  if (format == "hybrid") return plan_hybrid(options, rows, lengths, host);
  if (format == "csb") return {options, plan_csb(options, shape, sparse::total(lengths))};
  if (format == "tiled") return {options, plan_tiled(options, shape, sparse::total(lengths), host)};
  if (format == "csr")
    return {options, with_wider_offsets(sparse::csr_bytes(shape.rows, sparse::total(lengths)),
                                        shape.rows + 1, 0)};
  return {options, plan_sliced(options, lengths)};
}

std::vector<PlannedFormat> plan_formats(const sparse::RowSource& rows,
                                        std::span<const Column> lengths,
                                        const FormatOptions& options, const base::Backend& host) {
  std::vector<PlannedFormat> plans;
  for (const std::string& format : sparse::format_names()) {
    FormatOptions named = options;
    named.format = format;
    plans.push_back(plan_format(rows, lengths, named, host));
  }
  return plans;
}

}  // namespace cisolve::app
