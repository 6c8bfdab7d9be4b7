#pragma once

#include <cstdint>
#include <iosfwd>

#include "base/array.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Compressed sparse blocks as a kernel sees them: square blocks in row-major order, the elements
/// of a block by row, then by column, with 16-bit indices inside the block.
struct CsbView {
  Index rows = 0;
  Index columns = 0;
  Index block_size = 1;
  Index block_rows = 0;
  Index block_columns = 0;
  const Index* block_offsets = nullptr;
  const std::uint16_t* row = nullptr;
  const std::uint16_t* column = nullptr;
  const double* value = nullptr;
};

struct Csb {
  using View = CsbView;
  static constexpr std::string_view name = "csb";
  MatrixShape shape;
  Index block_size;
  Index block_rows;
  Index block_columns;
  base::Array<Index> block_offsets;
  base::Array<std::uint16_t> rows;
  base::Array<std::uint16_t> columns;
  base::Array<double> values;

  Index nonzeros() const { return values.size(); }
  MemoryUse memory() const;
  CsbView view() const;
  Csb to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// The largest block: a device keeps one block of the result in its shared memory.
inline constexpr Index kLargestCsbBlock = 8192;

/// What the format would hold.
MemoryUse plan_csb(const MatrixShape& shape, Index nonzeros, const FormatOptions& options);

/// Blocks of about the square root of the dimension, a power of two, unless options.block_size says
/// otherwise.
Csb build_csb(const RowSource& rows, const FormatOptions& options, const base::Backend& host);

}  // namespace cisolve::sparse
